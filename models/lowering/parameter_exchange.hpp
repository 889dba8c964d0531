// SPDX-License-Identifier: Apache-2.0
/// Gathers of weights and reductions of gradients between one rank class and those that hold the same parameters.
#pragma once

#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_ops.hpp"
#include "models/lowering/step_links.hpp"
#include "models/lowering/step_meetings.hpp"
#include "models/lowering/step_recipes.hpp"
#include "models/lowering/weight_exchanges.hpp"
#include "models/memory/parameter_memory.hpp"

namespace clusterwright {

/// Parameters of experts travel among the ranks with the same experts, all others among all gradient ranks.
class ParameterExchange {
 public:
  /// @param data    lane of the exchanges
  ParameterExchange(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings, LaneId data,
                    const StepRecipes& kernels);

  /// All gathers of the weights of layers, and of `root` parameters of embedding, head and last norm.
  /// @param after  op that they wait for; may not exist
  /// @return the last one; does not exist if there was none
  OpId gather(const RankParameters& layers, double root, OpId after);
  /// All reductions of the gradients of these parameters, behind the kernel `compute`.
  /// @return the last one; does not exist if there was none
  OpId reduce(const RankParameters& trained, OpId compute, int note);
  /// An exchange behind an op of the compute lane. @return its op
  OpId run(const WeightExchange& exchange, OpId after, int note);
  /// Reduction of the table that the embedding on the first stage and the head on the last one share.
  void reduce_tied_table(OpId compute);
  /// Norm of the gradient over all ranks, or over those of a group that trains apart. @param chain  its communication,
  /// the same for all ranks
  OpId norm(ChainId chain, OpId compute);

 private:
  OpId exchange(ReplicaGroup kind, CollectiveOp op, Bytes payload, OpId after, int note);
  /// Exchange between the two ranks that hold copies of the same part of the model (DualPipe).
  OpId exchange_copies(CollectiveOp op, Bytes payload, OpId after, int note);
  OpId op(WorkId kernel, RendezvousId meeting, OpId after, int note);
  WorkId kernel_of(CollectiveOp op) const;

  RankOps& ops_;
  const PlannedStep& step_;
  StepLinks& links_;
  StepMeetings& meetings_;
  LaneId data_;
  const StepRecipes& kernels_;
};

}  // namespace clusterwright
