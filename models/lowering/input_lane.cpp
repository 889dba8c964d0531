// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/input_lane.hpp"
#include "models/lowering/step_charge.hpp"

#include <algorithm>

namespace clusterwright {

InputLane::InputLane(StepContext& context, RankClassId rank_class, LaneId lane)
    : context_(context),
      class_(rank_class),
      lane_(lane),
      places_(context.scenario.job.input->prefetch),
      ready_(ready_micro_batches(context.scenario.job, context.plan)) {}

void InputLane::read(OpId after) {
  const RendezvousId meeting =
      context_.reads.join(context_.input->fed_together(class_), class_, context_.input->read(class_));
  const OpId id = context_.builder.add_op(lane_, context_.input->nothing(), charge_id(StepCharge::input_wait), meeting,
                                          (ready_ + static_cast<int>(reads_.size())) % context_.plan.micro_batches);
  if (after.exists()) context_.builder.depends(after, id);
  reads_.push_back(id);
}

void InputLane::begin_step() {
  const bool first = context_.classes.representative(class_).pipeline == 0;
  const int free = first ? std::min(places_ - ready_, context_.plan.micro_batches) : context_.plan.micro_batches;
  for (int i = 0; i < free; ++i) read({});
}

OpId InputLane::ready(int micro_batch) const {
  return micro_batch < ready_ ? OpId() : reads_[static_cast<std::size_t>(micro_batch - ready_)];
}

void InputLane::taken(OpId op) {
  if (static_cast<int>(reads_.size()) < context_.plan.micro_batches) read(op);
}

}  // namespace clusterwright
