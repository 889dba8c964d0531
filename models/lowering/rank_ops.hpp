// SPDX-License-Identifier: Apache-2.0
/// Ops of one rank class on their way into a step graph.
#pragma once

#include <vector>

#include "models/lowering/step_charge.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Adds ops in the order in which the host of the rank issues them, and knows the last kernel of the passes and the ops
/// that the next one waits for.
class RankOps {
 public:
  RankOps(StepGraphBuilder& builder, RankClassId rank_class, LaneId compute)
      : builder_(builder), rank_class_(rank_class), compute_(compute) {}
  RankOps(const RankOps&) = delete;
  RankOps& operator=(const RankOps&) = delete;

  RankClassId rank_class() const { return rank_class_; }

  /// Kernel of a pass. It waits for every op of wait_for() since the kernel before it.
  OpId kernel(WorkId work, StepCharge charge, int note);
  /// Kernel outside the passes: it waits for `before`, and stays out of last_kernel().
  OpId kernel_behind(OpId before, WorkId work, StepCharge charge);
  /// Op of a communication lane. @param after  op that it waits for; may not exist
  OpId communicate(LaneId lane, WorkId work, StepCharge charge, RendezvousId meeting, OpId after, int note);
  void depends(OpId before, OpId after) { builder_.depends(before, after); }

  /// Last kernel of a pass so far; may not exist.
  OpId last_kernel() const { return last_kernel_; }
  void wait_for(OpId op) { pending_.push_back(op); }
  void wait_for(const std::vector<OpId>& ops) { pending_.insert(pending_.end(), ops.begin(), ops.end()); }
  /// Op of the latest wait_for(). @pre no kernel came since
  OpId last_wait() const { return pending_.back(); }

 private:
  StepGraphBuilder& builder_;
  RankClassId rank_class_;
  LaneId compute_;
  OpId last_kernel_;
  std::vector<OpId> pending_;
};

}  // namespace clusterwright
