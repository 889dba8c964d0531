// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/activation_copies.hpp"

#include "models/memory/activation_memory.hpp"

namespace clusterwright {

ActivationCopies::ActivationCopies(RankOps& ops, LevelCopies& copies, const PlannedJob& planned, int stage)
    : ops_(ops), copies_(copies), planned_(planned), stage_(stage), level_(planned.offload.activations) {}

Bytes ActivationCopies::payload(int chunk, int layer) const {
  const LayerKind kind = planned_.model.kind_of(planned_.layout.at(stage_, chunk).first_layer + layer);
  return layer_activations(planned_, kind, layer < lean_layers(planned_, stage_, chunk));
}

void ActivationCopies::store(const PipelineSlot& slot, int layer) {
  if (level_ == MemoryLevel::device) return;
  stored_[{slot.micro_batch, slot.chunk, layer}] =
      copies_.copy(level_, true, payload(slot.chunk, layer), ops_.last_kernel(), StepCharge::offload);
}

void ActivationCopies::fetch(const PipelineSlot& slot, int layer) {
  if (level_ == MemoryLevel::device) return;
  const OpId stored = stored_.at({slot.micro_batch, slot.chunk, layer});
  const OpId fetched = copies_.copy(level_, false, payload(slot.chunk, layer), stored, StepCharge::offload);
  if (before_fetch_.exists()) ops_.depends(before_fetch_, fetched);
  before_fetch_ = ops_.last_kernel();
  ops_.wait_for(fetched);
}

}  // namespace clusterwright
