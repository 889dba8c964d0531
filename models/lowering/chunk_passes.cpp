// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/chunk_passes.hpp"

#include <algorithm>

#include "models/lowering/head_passes.hpp"

namespace clusterwright {

ChunkPasses::ChunkPasses(const PlannedStep& step, const StepRecipes& recipes, const Parts& parts)
    : step_(step), recipes_(recipes), parts_(parts), stage_(step.stage_of(parts.ops.rank_class())) {}

const LayerPasses& ChunkPasses::passes(const PipelineSlot& slot, int layer) const {
  const int number = contents(slot).first_layer + layer;
  return recipes_.layers[static_cast<std::size_t>(step_.job.model.kind_of(number))];
}

/// Comes behind the receive of the slot. On later stages the receive waits for the data, not the kernel: its message
/// cannot come before the data, and so the wait for the message is charged to the data.
void ChunkPasses::await_data(const PipelineSlot& slot) {
  if (!parts_.input || slot.chunk > 0) return;
  const OpId data = parts_.input->ready(slot.micro_batch);
  if (!data.exists()) return;
  stage_ == 0 ? parts_.ops.wait_for(data) : parts_.ops.depends(data, parts_.ops.last_wait());
}

void ChunkPasses::begin_forward(const PipelineSlot& slot) {
  const bool first = contents(slot).embedding;
  if (!first) parts_.messages.receive(slot);
  await_data(slot);
  parts_.ops.wait_for(parts_.weights.before_layer(slot, 0));
  if (first) parts_.ops.stamp(recipes_.embedding_forward, slot.micro_batch);
  if (parts_.input && first) parts_.input->taken();
}

void ChunkPasses::forward_layer(const PipelineSlot& slot, int layer) {
  if (layer > 0) parts_.ops.wait_for(parts_.weights.before_layer(slot, layer));
  parts_.ops.stamp(passes(slot, layer).forward, slot.micro_batch);
  parts_.activations.store(slot, layer);
}

void ChunkPasses::end_forward(const PipelineSlot& slot) {
  if (contents(slot).head) stamp_head_forward(parts_.ops, step_, recipes_, slot.micro_batch);
  parts_.messages.end_slot();
  if (!contents(slot).head) parts_.messages.send(slot);
}

bool ChunkPasses::repeats(const PipelineSlot& slot, int layer) const {
  if (step_.plan().recompute != Recompute::full) return false;
  return !step_.plan().recomputed_layers ||
         step_.layout().layers_before(stage_, slot.chunk) + layer < *step_.plan().recomputed_layers;
}

void ChunkPasses::begin_backward(const PipelineSlot& slot) {
  if (!contents(slot).head) return parts_.messages.receive(slot);
  stamp_head_backward(parts_.ops, step_, recipes_, slot.part, slot.micro_batch);
}

void ChunkPasses::prepare_backward(const PipelineSlot& slot, int layer) {
  parts_.ops.wait_for(parts_.weights.before_layer(slot, layer));
  parts_.activations.fetch(slot, layer);
  if (repeats(slot, layer)) parts_.ops.stamp(passes(slot, layer).again, slot.micro_batch);
}

void ChunkPasses::backward_layer(const PipelineSlot& slot, int layer) {
  const bool whole = slot.part == BackwardPart::whole;
  prepare_backward(slot, layer);
  const LayerPasses& pass = passes(slot, layer);
  parts_.ops.stamp(whole ? pass.backward : pass.split.input, slot.micro_batch);
  if (whole) parts_.weights.after_layer(slot, layer);
}

void ChunkPasses::end_backward(const PipelineSlot& slot) {
  if (contents(slot).embedding) parts_.ops.stamp(recipes_.embedding_backward, slot.micro_batch);
  parts_.messages.end_slot();
  if (!contents(slot).embedding) parts_.messages.send(slot);
  if (slot.part == BackwardPart::whole) end_gradients(slot);
}

void ChunkPasses::end_gradients(const PipelineSlot& slot) {
  if (const OpId reduced = parts_.weights.after_backward(slot); reduced.exists()) parts_.ops.wait_for(reduced);
}

void ChunkPasses::weight_gradients(const PipelineSlot& slot) {
  if (contents(slot).head) stamp_head_backward(parts_.ops, step_, recipes_, BackwardPart::weight, slot.micro_batch);
  for (int layer = contents(slot).layers - 1; layer >= 0; --layer) {
    parts_.ops.stamp(passes(slot, layer).split.weight, slot.micro_batch);
    parts_.weights.after_layer(slot, layer);
  }
  end_gradients(slot);
}

void ChunkPasses::layers_side_by_side(const PipelineSlot& forward, int ahead, const PipelineSlot& backward, int back) {
  if (ahead > 0) parts_.ops.wait_for(parts_.weights.before_layer(forward, ahead));
  prepare_backward(backward, back);
  parts_.ops.stamp_side_by_side(passes(forward, ahead).forward, forward.micro_batch, passes(backward, back).backward,
                                backward.micro_batch);
  parts_.activations.store(forward, ahead);
  parts_.weights.after_layer(backward, back);
}

void ChunkPasses::run_side_by_side(const PipelineSlot& forward, const PipelineSlot& backward) {
  begin_forward(forward);
  begin_backward(backward);
  const int ahead = contents(forward).layers, back = contents(backward).layers;
  for (int i = 0; i < std::max(ahead, back); ++i) {
    if (i < std::min(ahead, back))
      layers_side_by_side(forward, i, backward, back - 1 - i);
    else
      i < ahead ? forward_layer(forward, i) : backward_layer(backward, back - 1 - i);
  }
  end_forward(forward);
  parts_.messages.join_with_next_slot();
  end_backward(backward);
}

void ChunkPasses::run(const PipelineSlot& slot) {
  const int layers = contents(slot).layers;
  if (slot.part == BackwardPart::weight) return weight_gradients(slot);
  if (slot.forward) {
    begin_forward(slot);
    for (int layer = 0; layer < layers; ++layer) forward_layer(slot, layer);
    end_forward(slot);
  } else {
    begin_backward(slot);
    for (int layer = layers - 1; layer >= 0; --layer) backward_layer(slot, layer);
    end_backward(slot);
  }
}

}  // namespace clusterwright
