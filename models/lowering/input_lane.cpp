// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/input_lane.hpp"

#include <algorithm>

namespace clusterwright {

InputLane::InputLane(RankOps& ops, const PlannedStep& step, InputSide& input, Meetings& meetings, LaneId lane)
    : ops_(ops),
      input_(input),
      meetings_(meetings),
      lane_(lane),
      first_stage_(step.stage_of(ops.rank_class()) == 0),
      micro_batches_(step.plan().micro_batches),
      places_(step.scenario.job.input->prefetch),
      ready_(ready_micro_batches(step.scenario.job, step.plan())) {}

void InputLane::read(OpId after) {
  const RankClassId rank = ops_.rank_class();
  const RendezvousId meeting = meetings_.join(input_.fed_together(rank), rank, input_.read(rank));
  const int micro_batch = (ready_ + static_cast<int>(reads_.size())) % micro_batches_;
  reads_.push_back(ops_.communicate(lane_, input_.nothing(), StepCharge::input_wait, meeting, after, micro_batch));
}

void InputLane::begin_step() {
  const int free = first_stage_ ? std::min(places_ - ready_, micro_batches_) : micro_batches_;
  for (int i = 0; i < free; ++i) read({});
}

OpId InputLane::ready(int micro_batch) const {
  return micro_batch < ready_ ? OpId() : reads_[static_cast<std::size_t>(micro_batch - ready_)];
}

void InputLane::taken() {
  if (static_cast<int>(reads_.size()) < micro_batches_) read(ops_.last_kernel());
}

}  // namespace clusterwright
