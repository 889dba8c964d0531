// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/op_writer.hpp"

namespace clusterwright {

void OpWriter::join_passes(const std::vector<LaneId>& lanes, const std::vector<ChainId>& chains) {
  for (const LaneId lane : lanes) builder_.add_pass_lane(rank_class_, lane);
  for (const ChainId chain : chains) builder_.add_pass_chain(rank_class_, chain);
}

OpId OpWriter::wait(OpId kernel) {
  for (const OpId before : pending_) builder_.depends(before, kernel);
  pending_.clear();
  return last_kernel_ = kernel;
}

OpId OpWriter::kernel(WorkId work, StepCharge charge, int note) {
  return wait(builder_.add_op(compute_, work, charge_id(charge), note));
}

OpId OpWriter::pass(PassId pass, const StretchNotes& notes) {
  return wait(builder_.add_pass_op(rank_class_, pass, notes.first, notes.second));
}

OpId OpWriter::kernel_behind(OpId before, WorkId work, StepCharge charge) {
  const OpId id = builder_.add_op(compute_, work, charge_id(charge), -1);
  builder_.depends(before, id);
  return id;
}

OpId OpWriter::communicate(LaneId lane, WorkId work, StepCharge charge, RendezvousId meeting, OpId after, int note) {
  const OpId id = builder_.add_op(lane, work, charge_id(charge), meeting, note);
  if (after.exists()) builder_.depends(after, id);
  return id;
}

}  // namespace clusterwright
