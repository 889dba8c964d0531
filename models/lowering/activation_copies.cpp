// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/activation_copies.hpp"

#include "models/memory/memory_use.hpp"

namespace clusterwright {

ActivationCopies::ActivationCopies(RankOps& ops, LevelCopies& copies, const PlannedJob& planned)
    : ops_(ops), copies_(copies), level_(planned.offload.activations) {
  if (level_ != MemoryLevel::device) payload_ = layer_activations(planned);
}

void ActivationCopies::store(const PipelineSlot& slot, int layer) {
  if (level_ == MemoryLevel::device) return;
  stored_[{slot.micro_batch, slot.chunk, layer}] =
      copies_.copy(level_, true, payload_, ops_.last_kernel(), StepCharge::recompute);
}

void ActivationCopies::fetch(const PipelineSlot& slot, int layer) {
  if (level_ == MemoryLevel::device) return;
  const OpId stored = stored_.at({slot.micro_batch, slot.chunk, layer});
  const OpId fetched = copies_.copy(level_, false, payload_, stored, StepCharge::recompute);
  if (before_fetch_.exists()) ops_.depends(before_fetch_, fetched);
  before_fetch_ = ops_.last_kernel();
  ops_.wait_for(fetched);
}

}  // namespace clusterwright
