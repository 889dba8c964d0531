// SPDX-License-Identifier: Apache-2.0
/// What a search over plans decides: a point of its space.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

struct LayoutLimits;

/// Layout of a job on its accelerators, small enough that millions can be kept. Everything else of a plan follows.
struct Layout {
  int tensor = 1;
  int context = 1;
  int expert = 1;
  int expert_tensor = 1;
  int pipeline = 1;
  int data = 1;
  int micro_batch = 1;
  int virtual_pipeline = 1;
  int shard_group = 1;        ///< of hsdp; else all ranks that hold the same weights
  int recomputed_layers = 0;  ///< first layers of each stage that recompute full repeats; 0: all
  Recompute recompute = Recompute::none;
  Sharding sharding = Sharding::zero1;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  RankOrder order = RankOrder::tensor_context_data_pipeline;
  Offload offload;

  bool operator==(const Layout&) const = default;
};

/// Whether of two layouts that do equally well users choose the first: the common order of ranks, less sharding.
bool is_commoner(const Layout& a, const Layout& b);

/// Layout of a decided plan.
Layout layout_of(const Plan& plan, const Offload& offload);

/// Job with every field of the layout decided.
Job with_layout(Job job, const Layout& layout);

/// Plan of the layout, as resolve_plan() makes it of with_layout(), but unchecked.
/// @pre the layout is legal
Plan plan_of(const Scenario& scenario, const Layout& layout);

/// Whether a layout is within limits; that on memory aside.
bool allows(const LayoutLimits& limits, const Layout& layout);

/// Settings that turn `job` into with_layout(job, layout), as --set takes them: "job.parallel.tensor=8".
std::vector<std::string> settings_of(const Scenario& scenario, const Layout& layout);

}  // namespace clusterwright
