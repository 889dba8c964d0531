// SPDX-License-Identifier: Apache-2.0
/// Collectives in which the ranks of a stage gather their weights and reduce their gradients.
#pragma once

#include <optional>
#include <vector>

#include "models/kernels/collectives/collective_op.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

struct WeightExchange {
  std::optional<ReplicaGroup> with;  ///< ranks of the stage that take part; absent: the rank of the mirror stage
  CollectiveOp op = CollectiveOp::all_gather;
  Bytes payload;
  bool follows = false;  ///< comes behind another exchange of the same weights
};

/// Whether ranks share the weights of a stage, or their optimizer, at all.
bool holds_weights_together(const PlannedJob& planned);
/// Whether gradients of trained parameters are reduced.
bool reduces_gradients(const PlannedJob& planned, const RankParameters& trained);
/// Whether each micro-batch reduces its own gradients; else the last one reduces those of all.
bool reduces_every_micro_batch(const PlannedJob& planned);

/// Gathers of weights, in order. @param layers  parameters of layers on this rank, @param root  of embedding and head
std::vector<WeightExchange> weight_gathers(const PlannedJob& planned, const RankParameters& layers, double root);

/// Reductions of the gradients of trained parameters, in order.
std::vector<WeightExchange> gradient_reductions(const PlannedJob& planned, const RankParameters& trained);

/// Whether groups that train apart synchronise at the end of the step.
bool synchronises_groups(const PlannedJob& planned);
/// Exchange of outer gradients between groups that train apart: in 32 bit, each rank the part that it shares with
/// nobody in its group.
WeightExchange outer_reduction(const PlannedJob& planned, const RankParameters& trained);
/// Exchange of the new weights inside a group, where the next step does not gather them anyway.
std::optional<WeightExchange> outer_gather(const PlannedJob& planned, const RankParameters& trained);

}  // namespace clusterwright
