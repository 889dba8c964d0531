// SPDX-License-Identifier: Apache-2.0
/// Parallel plan with every field decided.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/job.hpp"

namespace clusterwright {

/// Something that the user did not say and the program decided, or a number that carries the answer.
struct Assumption {
  std::string what;    ///< "virtual pipeline stages"
  std::string value;   ///< "8"
  std::string origin;  ///< "default", "fit", "data sheet", "measurement", "user"
  std::string why;     ///< "not given: the largest that divides"
};

/// The parallel plan that ran, every field decided.
struct Plan {
  int tensor = 1;
  int pipeline = 1;
  int virtual_pipeline = 1;
  int context = 1;
  int expert = 1;         ///< ranks that share the experts out
  int expert_tensor = 1;  ///< ranks that split each expert
  int data = 1;
  int micro_batch = 1;
  int micro_batches = 1;  ///< per replica and step
  int global_batch = 1;   ///< sequences per step
  bool sequence_parallel = true;
  ContextExchange context_exchange = ContextExchange::ring;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;  ///< of each chunk along the model; empty: as evenly as they go
  Sharding sharding = Sharding::zero1;
  int shard_group = 1;  ///< ranks that share one copy of weights and optimizer (all gradient ranks but under hsdp)
  Recompute recompute = Recompute::none;
  std::optional<int> recomputed_layers;  ///< of a stage, where full recomputation repeats only the first so many

  bool paired = false;  ///< forward and backward passes of different micro-batches run side by side

  /// Micro-batches that visit one virtual stage after the other, where they are not as many as stages.
  std::optional<int> larger_group;

  /// That lie in host memory when a step starts, where the loader is so slow that it has not read all that it may.
  std::optional<int> ready_micro_batches;

  int accelerators() const { return tensor * pipeline * context * data; }
  /// Copies of the weights among the stages: DualPipe keeps those of the mirror stage too.
  int weight_copies() const { return schedule == PipelineSchedule::dualpipe ? 2 : 1; }
  int interleaving_group() const { return larger_group.value_or(pipeline); }
  /// Ranks that hold the same weights and reduce gradients: context ranks are replicas of the weights too.
  int gradient_ranks() const { return context * data; }
  /// Ranks of one pipeline stage.
  int stage_ranks() const { return tensor * gradient_ranks(); }
  /// Ranks that hold the same experts, or the same part of them.
  int expert_replicas() const { return stage_ranks() / (expert * expert_tensor); }
};

}  // namespace clusterwright
