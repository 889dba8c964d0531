// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_ops.hpp"

namespace clusterwright {

OpId RankOps::kernel(WorkId work, StepCharge charge, int note) {
  last_kernel_ = builder_.add_op(compute_, work, charge_id(charge), note);
  for (const OpId before : pending_) builder_.depends(before, last_kernel_);
  pending_.clear();
  return last_kernel_;
}

OpId RankOps::kernel_behind(OpId before, WorkId work, StepCharge charge) {
  const OpId id = builder_.add_op(compute_, work, charge_id(charge), -1);
  builder_.depends(before, id);
  return id;
}

OpId RankOps::communicate(LaneId lane, WorkId work, StepCharge charge, RendezvousId meeting, OpId after, int note) {
  const OpId id = builder_.add_op(lane, work, charge_id(charge), meeting, note);
  if (after.exists()) builder_.depends(after, id);
  return id;
}

}  // namespace clusterwright
