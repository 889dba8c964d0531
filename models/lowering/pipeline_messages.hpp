// SPDX-License-Identifier: Apache-2.0
/// Messages of one rank class to and from the neighbouring pipeline stages.
#pragma once

#include <array>
#include <vector>

#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_lanes.hpp"
#include "models/lowering/rank_ops.hpp"
#include "models/lowering/step_links.hpp"
#include "models/lowering/step_meetings.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

/// A receive is posted one slot ahead, so that its kernel does not hold multiprocessors for longer. Between the two
/// ends of the pipeline, a group of more micro-batches than stages arrives earlier than it is used: by one forward and
/// one backward slot for each micro-batch beyond the stages, and its receives are posted earlier by as many slots.
///
/// Example: 4 stages, groups of 6 micro-batches. The first stage posts forward receives 1 + 2 (6 - 4) = 5 slots ahead,
/// all others 1 slot ahead.
class PipelineMessages {
 public:
  /// @param kernel  kernel of a message
  PipelineMessages(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                   const RankLanes& lanes, WorkId kernel);

  /// Posts the receive of the input of a slot; the next kernel waits for it.
  void receive(const PipelineSlot& slot);
  /// Sends the result of a slot, which the last kernel computed.
  void send(const PipelineSlot& slot);
  /// The last kernel ends a slot.
  void end_slot() { slot_ends_.push_back(ops_.last_kernel()); }
  /// The slot that ended last and the next one count as one.
  void join_with_next_slot() { slot_ends_.pop_back(); }

 private:
  std::size_t slots_ahead(Stream stream) const;
  MessageRoute route(const PipelineSlot& slot) const;

  RankOps& ops_;
  const PlannedStep& step_;
  StepMeetings& meetings_;
  const RankLanes& lanes_;
  WorkId kernel_;
  std::array<ChainId, 2> outgoing_, incoming_;  // by stream
  std::vector<OpId> slot_ends_;                 // last kernel of each slot so far, without those for weight gradients
};

}  // namespace clusterwright
