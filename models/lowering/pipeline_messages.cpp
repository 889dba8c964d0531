// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pipeline_messages.hpp"

namespace clusterwright {

PipelineMessages::PipelineMessages(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                                   const RankLanes& lanes, WorkId kernel)
    : ops_(ops), step_(step), meetings_(meetings), lanes_(lanes), kernel_(kernel) {
  if (step.plan().pipeline == 1) return;
  // Each rank of a tensor group sends its share; the group gathers behind the receiver where it needs the whole.
  const Bytes payload = step.activation() / step.plan().tensor;
  for (const Stream stream : {Stream::forward, Stream::backward}) {
    const auto i = static_cast<std::size_t>(stream);
    outgoing_[i] = links.message(stream, payload, ops.rank_class());
    incoming_[i] = links.message(stream, payload, step.groups.sender(stream, ops.rank_class()));
  }
}

std::size_t PipelineMessages::slots_ahead(Stream stream) const {
  const Plan& plan = step_.plan();
  const bool wraps = step_.stage_of(ops_.rank_class()) == (stream == Stream::forward ? 0 : plan.pipeline - 1);
  const int early = wraps ? plan.interleaving_group() - plan.pipeline : 0;
  return 1 + 2 * static_cast<std::size_t>(early);
}

MessageRoute PipelineMessages::route(const PipelineSlot& slot) const {
  const bool up = step_.layout().is_mirrored() && slot.chunk == 1;
  if (slot.forward) return up ? MessageRoute::forward_up : MessageRoute::forward;
  return up ? MessageRoute::backward_up : MessageRoute::backward;
}

void PipelineMessages::receive(const PipelineSlot& slot) {
  const MessageRoute route = this->route(slot);
  const Stream stream = stream_of(route);
  const RankClassId rank = ops_.rank_class();
  const RendezvousId meeting =
      meetings_.of(route).receive(step_.groups.sender(stream, rank), rank, incoming_[static_cast<std::size_t>(stream)]);
  const std::size_t ahead = slots_ahead(stream);
  const OpId after = slot_ends_.size() > ahead ? slot_ends_[slot_ends_.size() - 1 - ahead] : OpId();
  ops_.wait_for(
      ops_.communicate(lanes_.in_of(route), kernel_, StepCharge::pp_exposed, meeting, after, slot.micro_batch));
}

void PipelineMessages::send(const PipelineSlot& slot) {
  const MessageRoute route = this->route(slot);
  const ChainId chain = outgoing_[static_cast<std::size_t>(stream_of(route))];
  const RankClassId rank = ops_.rank_class(), from = step_.classes.slice_of(rank);
  const OpId id = ops_.communicate(lanes_.out_of(route), kernel_, StepCharge::pp_exposed,
                                   meetings_.of(route).send(from, rank, chain), ops_.last_kernel(), slot.micro_batch);
  // Pairs of passes post messages of both directions together; one at a time, they would wait for each other.
  if (!step_.job.stack.overlap_pipeline_messages && !step_.layout().is_mirrored() && !step_.plan().paired)
    ops_.wait_for(id);
}

}  // namespace clusterwright
