// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes of the program of a rank, slot by slot.
#include <algorithm>

#include "models/lowering/step_program.hpp"

namespace clusterwright {

const LayerPasses& StepProgram::passes(const PipelineSlot& slot, int layer) const {
  const int number = contents(slot).first_layer + layer;
  return context_.recipes.layers[static_cast<std::size_t>(context_.scenario.transformer.kind_of(number))];
}

/// Each further token is predicted from what predicted the one before, by one more layer and the head.
void StepProgram::stamp_head_forward(const PipelineSlot& slot) {
  const Transformer& model = context_.scenario.transformer;
  stamp(context_.recipes.head_forward, slot.micro_batch);
  for (std::int64_t i = 0; i < model.predicted_tokens; ++i) {
    stamp(context_.recipes.prediction_forward, slot.micro_batch);
    stamp(context_.recipes.layers[static_cast<std::size_t>(model.last_kind())].forward, slot.micro_batch);
    stamp(context_.recipes.head_forward, slot.micro_batch);
  }
}

void StepProgram::stamp_head_backward(const PipelineSlot& slot, BackwardPart part) {
  const Transformer& model = context_.scenario.transformer;
  const LayerPasses& layer = context_.recipes.layers[static_cast<std::size_t>(model.last_kind())];
  const auto stamp_part = [&](const Recipe& whole, const SplitRecipe& split) {
    stamp(part == BackwardPart::whole   ? whole
          : part == BackwardPart::input ? split.input
                                        : split.weight,
          slot.micro_batch);
  };
  for (std::int64_t i = 0; i < model.predicted_tokens; ++i) {
    stamp_part(context_.recipes.head_backward, context_.recipes.head_split);
    if (context_.plan.recompute == Recompute::full && part != BackwardPart::weight)
      stamp(layer.again, slot.micro_batch);
    stamp_part(layer.backward, layer.split);
    stamp_part(context_.recipes.prediction_backward, context_.recipes.prediction_split);
  }
  stamp_part(context_.recipes.head_backward, context_.recipes.head_split);
}

/// Behind the receive of the slot. On later stages that is what waits: its message cannot come before the data, and so
/// the wait for the message is charged to the data.
void StepProgram::await_data(const PipelineSlot& slot) {
  if (!input_ || slot.chunk > 0) return;
  const OpId data = input_->ready(slot.micro_batch);
  if (!data.exists()) return;
  stage_ == 0 ? wait_for(data) : context_.builder.depends(data, pending_.back());
}

void StepProgram::begin_forward(const PipelineSlot& slot) {
  const bool first = contents(slot).embedding;
  if (!first) receive(slot);
  await_data(slot);
  wait_for(weights_.before_layer(slot, 0, last_compute_));
  if (first) stamp(context_.recipes.embedding_forward, slot.micro_batch);
  if (input_ && first) input_->taken(last_compute_);
}

void StepProgram::forward_layer(const PipelineSlot& slot, int layer) {
  if (layer > 0) wait_for(weights_.before_layer(slot, layer, last_compute_));
  stamp(passes(slot, layer).forward, slot.micro_batch);
  store_activations(slot, layer);
}

void StepProgram::end_forward(const PipelineSlot& slot) {
  if (contents(slot).head) stamp_head_forward(slot);
  slot_ends_.push_back(last_compute_);
  if (!contents(slot).head) send(slot);
}

bool StepProgram::repeats(const PipelineSlot& slot, int layer) const {
  if (context_.plan.recompute != Recompute::full) return false;
  return !context_.plan.recomputed_layers ||
         context_.layout.layers_before(stage_, slot.chunk) + layer < *context_.plan.recomputed_layers;
}

void StepProgram::begin_backward(const PipelineSlot& slot) {
  if (!contents(slot).head) return receive(slot);
  stamp_head_backward(slot, slot.part);
}

void StepProgram::prepare_backward(const PipelineSlot& slot, int layer) {
  wait_for(weights_.before_layer(slot, layer, last_compute_));
  fetch_activations(slot, layer);
  if (repeats(slot, layer)) stamp(passes(slot, layer).again, slot.micro_batch);
}

void StepProgram::backward_layer(const PipelineSlot& slot, int layer) {
  const bool whole = slot.part == BackwardPart::whole;
  prepare_backward(slot, layer);
  const LayerPasses& pass = passes(slot, layer);
  stamp(whole ? pass.backward : pass.split.input, slot.micro_batch);
  if (whole) weights_.after_layer(slot, layer, last_compute_);
}

void StepProgram::end_backward(const PipelineSlot& slot) {
  if (contents(slot).embedding) stamp(context_.recipes.embedding_backward, slot.micro_batch);
  slot_ends_.push_back(last_compute_);
  if (!contents(slot).embedding) send(slot);
  if (slot.part == BackwardPart::whole) end_gradients(slot);
}

void StepProgram::end_gradients(const PipelineSlot& slot) {
  if (const OpId reduced = weights_.after_backward(slot, last_compute_); reduced.exists()) wait_for(reduced);
}

void StepProgram::weight_gradients(const PipelineSlot& slot) {
  if (contents(slot).head) stamp_head_backward(slot, BackwardPart::weight);
  for (int layer = contents(slot).layers - 1; layer >= 0; --layer) {
    stamp(passes(slot, layer).split.weight, slot.micro_batch);
    weights_.after_layer(slot, layer, last_compute_);
  }
  end_gradients(slot);
}

void StepProgram::layers_side_by_side(const PipelineSlot& forward, int ahead, const PipelineSlot& backward, int back) {
  if (ahead > 0) wait_for(weights_.before_layer(forward, ahead, last_compute_));
  prepare_backward(backward, back);
  Stamping one = start(passes(forward, ahead).forward, forward.micro_batch, 0);
  Stamping other = start(passes(backward, back).backward, backward.micro_batch, 1);
  while (!one.ended() || !other.ended()) {
    stamp_until_collective(one);
    stamp_until_collective(other);
  }
  store_activations(forward, ahead);
  weights_.after_layer(backward, back, last_compute_);
}

void StepProgram::side_by_side(const PipelineSlot& forward, const PipelineSlot& backward) {
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
  slot_ends_.pop_back();  // the pair is one slot
  end_backward(backward);
}

void StepProgram::run(const PipelineSlot& slot) {
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
