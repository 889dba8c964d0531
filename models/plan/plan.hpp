// SPDX-License-Identifier: Apache-2.0
/// Parallel plan with every field decided, and decisions that a result reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/job.hpp"

namespace clusterwright {

/// Decision of the program where the user stated nothing, or a number that the result depends on.
struct Assumption {
  std::string what;    ///< "virtual pipeline stages"
  std::string value;   ///< "8"
  std::string origin;  ///< "default", "fit", "data sheet", "measurement", "user"
  std::string why;     ///< "not given: the largest that divides"
};

/// Parallel plan that ran.
struct Plan {
  int tensor = 1;
  int pipeline = 1;
  int virtual_pipeline = 1;
  int context = 1;
  int expert = 1;         ///< ranks that the experts are divided among
  int expert_tensor = 1;  ///< ranks that split each expert
  int data = 1;
  int micro_batch = 1;
  int micro_batches = 1;  ///< micro-batches per replica and step
  int global_batch = 1;   ///< sequences per step
  bool sequence_parallel = true;
  ContextExchange context_exchange = ContextExchange::ring;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::vector<int> stage_layers;  ///< layers of each chunk along the model; empty: as even as possible
  Sharding sharding = Sharding::zero1;
  RankOrder rank_order = RankOrder::tensor_context_data_pipeline;
  int shard_group = 1;  ///< ranks that share one copy of weights and optimizer: all gradient ranks unless in_groups()
  bool grouped =
      false;            ///< neighbouring gradient ranks form groups, as under hsdp, whatever is sharded: one for a site
  int local_steps = 1;  ///< steps from one synchronisation of the groups to the next; beyond 1 they train apart
  bool synchronises = true;  ///< whether this step is the last of local_steps
  Recompute recompute = Recompute::none;
  std::optional<int> recomputed_layers;  ///< first layers of a stage that full recomputation repeats; absent: all

  bool paired = false;  ///< forward and backward passes of different micro-batches run side by side

  /// Micro-batches that visit one virtual stage before the next; absent: as many as stages.
  std::optional<int> larger_group;

  /// Micro-batches in host memory when a step starts; absent: as many as the loader prefetches.
  std::optional<int> ready_micro_batches;

  /// Whether gradients are reduced in groups of shard_group ranks, and then between the groups.
  bool in_groups() const { return sharding == Sharding::hsdp || grouped; }
  /// Ranks with the same weights that reduce gradients in every step.
  int reducing_ranks() const { return local_steps > 1 ? shard_group : gradient_ranks(); }
  int accelerators() const { return tensor * pipeline * context * data; }
  /// Copies of the weights on all stages: DualPipe keeps those of the mirror stage too.
  int weight_copies() const { return schedule == PipelineSchedule::dualpipe ? 2 : 1; }
  int interleaving_group() const { return larger_group.value_or(pipeline); }
  /// Ranks that hold the same weights and reduce gradients: context ranks are replicas of the weights too.
  int gradient_ranks() const { return context * data; }
  /// Whether ranks that split an expert hold different tokens, so that its rows are gathered from all of them.
  bool gathers_expert_rows() const { return expert_tensor > 1 && (sequence_parallel || tensor == 1); }
  /// Ranks of one pipeline stage.
  int stage_ranks() const { return tensor * gradient_ranks(); }
  /// Ranks that hold the same experts, or the same part of them.
  int expert_replicas() const { return stage_ranks() / (expert * expert_tensor); }
};

}  // namespace clusterwright
