// SPDX-License-Identifier: Apache-2.0
/// Ops of one rank class on their way into a step graph.
#pragma once

#include <vector>

#include "models/lowering/step_charge.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Micro-batches of ops in a row; those of side-by-side passes take either one.
struct StretchNotes {
  int first = -1, second = -1;
};

/// Adds ops in the order in which the host of the rank issues them, and knows the last kernel and the ops that the next
/// one waits for.
class OpWriter {
 public:
  OpWriter(StepGraphBuilder& builder, RankClassId rank_class, LaneId compute)
      : builder_(builder), rank_class_(rank_class), compute_(compute) {}
  OpWriter(const OpWriter&) = delete;
  OpWriter& operator=(const OpWriter&) = delete;

  RankClassId rank_class() const { return rank_class_; }
  /// Lanes and chains of the ops inside passes.
  void join_passes(const std::vector<LaneId>& lanes, const std::vector<ChainId>& chains);

  /// Kernel, or kernels and collectives of a pass. They wait for every op of wait_for() since the kernel before.
  OpId kernel(WorkId work, StepCharge charge, int note);
  OpId pass(PassId pass, const StretchNotes& notes);
  /// Kernel that waits for `before`, and stays out of last_kernel().
  OpId kernel_behind(OpId before, WorkId work, StepCharge charge);
  /// Op of a communication lane. @param after  op that it waits for; may not exist
  OpId communicate(LaneId lane, WorkId work, StepCharge charge, RendezvousId meeting, OpId after, int note);
  void depends(OpId before, OpId after) { builder_.depends(before, after); }

  /// Last kernel so far, or the pass that ends with it; may not exist.
  OpId last_kernel() const { return last_kernel_; }
  void wait_for(OpId op) { pending_.push_back(op); }
  /// Op of the latest wait_for(). @pre no kernel came since
  OpId last_wait() const { return pending_.back(); }

 private:
  OpId wait(OpId kernel);

  StepGraphBuilder& builder_;
  RankClassId rank_class_;
  LaneId compute_;
  OpId last_kernel_;
  std::vector<OpId> pending_;
};

}  // namespace clusterwright
