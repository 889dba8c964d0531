// SPDX-License-Identifier: Apache-2.0
/// Weights, gradients and optimizer state of one rank, by sharding, offload and what is trained.
#pragma once

#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Parameters of one rank, apart by who holds the same ones: all gradient ranks, or those with the same experts.
struct RankParameters {
  double common = 0;
  double routed = 0;

  double total() const { return common + routed; }
  RankParameters& operator+=(const RankParameters& other);
  friend RankParameters operator*(double count, const RankParameters& p) {
    return {count * p.common, count * p.routed};
  }
};

/// Parameters of one layer, of `count` layers from `first` on, and of all layers of a stage with those that predict
/// further tokens.
RankParameters layer_share(const PlannedJob& planned, LayerKind kind);
RankParameters layers_share(const PlannedJob& planned, int first, int count);
RankParameters stage_layers_share(const PlannedJob& planned, int stage);

/// Parameters of the head and its norm, with those that predict further tokens.
RankParameters head_share(const PlannedJob& planned);

/// Parameters that one rank owns of a group's, and those that it updates: all without sharding, fewer if two copies
/// share one optimizer.
double owned_part(const PlannedJob& planned, const RankParameters& parameters);
double updated_part(const PlannedJob& planned, const RankParameters& parameters);

/// Parameters whose outer state one rank holds, where groups train apart: those that nobody else in its group has.
double outer_part(const PlannedJob& planned, const RankParameters& parameters);

/// Parameters of the head and the last norm, of the whole tensor group. A tied head has a copy of the table if it is
/// not on the stage of the embedding.
double head_weights(const PlannedJob& planned);

/// Parameters that one rank of `stage` holds (before sharding over data-parallel ranks).
RankParameters local_parameters(const PlannedJob& planned, int stage);

/// Parameters with gradients: all, or low-rank adapters.
RankParameters adapters_of(const PlannedJob& planned, int first, int count);
RankParameters trained_parameters(const PlannedJob& planned, int stage);

/// Adam in mixed precision: 16-bit weights, gradients in what the stack accumulates in, three 32-bit states. ZeRO
/// shares states, gradients and weights out in this order. PyTorch FSDP keeps no 16-bit weights: its shards are the
/// 32-bit master weights, and 16-bit ones exist only while they are gathered.
Bytes weight_memory(const PlannedJob& planned, int stage);
Bytes gradient_memory(const PlannedJob& planned, int stage);
/// True if gradients are allocated in the one backward pass of a step, in place of the activations that it frees: one
/// micro-batch, no pipeline, gradients that are neither reduced nor sharded, and a stack that frees them.
bool gradients_come_late(const PlannedJob& planned);
Bytes optimizer_memory(const PlannedJob& planned, int stage);
/// State of the outer optimizer of groups that train apart, where the other states are (optimizer_level()): a 32-bit
/// momentum, and the 32-bit parameters that all groups started from.
/// @source Douillard et al. 2023, DiLoCo (arXiv 2311.08105), Algorithm 1
Bytes outer_memory(const PlannedJob& planned, int stage);

/// Temporary gradients if they are scattered layer by layer: 16-bit ones of the layer that runs backward, the copy that
/// travels, and those of embedding and head, which are scattered last. None exist yet at the loss.
Bytes passing_gradients(const PlannedJob& planned, int stage);

/// Sharded weights that are whole at one instant: embedding and head, which stay through the micro-batch, the present
/// layer, prefetched ones, and one that is copied out of its collective. Under a pipeline, all.
/// @source PyTorch FSDP notes on prefetching; docs/models/memory.md, "Gathered weights and passing gradients"
Bytes gathered_memory(const PlannedJob& planned, int stage);

}  // namespace clusterwright
