// SPDX-License-Identifier: Apache-2.0
/// Input lane of one rank: micro-batches become ready, as many ahead as the loader prefetches.
///
/// Steady state. `ready` micro-batches of this step lie there when it starts. While it runs, the loader reads as many
/// as the step uses, the last `ready` of them for the next step. Each needs a place, which the first stage frees when
/// it takes a micro-batch. A loader that keeps up has filled all its places when a step starts; settle_input.hpp
/// deals with one that does not.
#pragma once

#include <vector>

#include "models/lowering/input_side.hpp"
#include "models/lowering/meetings.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_ops.hpp"

namespace clusterwright {

class InputLane {
 public:
  /// @param meetings  rendezvous of ranks that are fed together
  InputLane(RankOps& ops, const PlannedStep& step, InputSide& input, Meetings& meetings, LaneId lane);

  /// Reads that find a place at the start of the step. On later stages these are all reads: they follow the reads of
  /// the first stage.
  void begin_step();
  /// Op whose end makes the micro-batch ready; does not exist if it was ready at the start.
  OpId ready(int micro_batch) const;
  /// The first stage took the next micro-batch, as the last kernel so far ends.
  void taken();

 private:
  void read(OpId after);

  RankOps& ops_;
  InputSide& input_;
  Meetings& meetings_;
  LaneId lane_;
  bool first_stage_;
  int micro_batches_, places_, ready_;
  std::vector<OpId> reads_;  // the first is for micro-batch `ready_`
};

}  // namespace clusterwright
