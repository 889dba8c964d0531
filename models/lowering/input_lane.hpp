// SPDX-License-Identifier: Apache-2.0
/// The input lane of one rank: micro-batches become ready, as many ahead as the loader prefetches.
///
/// Steady state. `ready` micro-batches of this step lie there when it starts; while it runs, as many are read as it
/// uses, the last `ready` of them for the next step. Each needs a place, which the first stage frees when it takes a
/// micro-batch. A loader that keeps up has filled all its places when a step starts; one that does not has not, see
/// input_settling.hpp.
#pragma once

#include <vector>

#include "models/lowering/step_context.hpp"

namespace clusterwright {

class InputLane {
 public:
  /// @pre context.input
  InputLane(StepContext& context, RankClassId rank_class, LaneId lane);

  /// Reads that find a place at the start of the step. On later stages all: they follow the first one's.
  void begin_step();
  /// Op whose end makes the micro-batch ready; does not exist if it was ready at the start.
  OpId ready(int micro_batch) const;
  /// The first stage took the next micro-batch, as `op` ends.
  void taken(OpId op);

 private:
  void read(OpId after);

  StepContext& context_;
  RankClassId class_;
  LaneId lane_;
  int places_, ready_;
  std::vector<OpId> reads_;  // the first is for micro-batch `ready_`
};

}  // namespace clusterwright
