#include "models/memory/activation_memory.hpp"

#include <algorithm>
#include <vector>

#include "models/stage_schedule.hpp"

namespace clusterwright {

namespace {

constexpr double bytes_16bit = 2;
constexpr double bytes_32bit = 4;
constexpr double mask = 1;

/// Bytes per token, by the ranks that split them.
struct TokenBytes {
  double residual = 0;  ///< split with sequence parallelism only
  double split = 0;     ///< over the tensor group
};

double per_token(const MemoryCase& c, const TokenBytes& bytes) {
  return bytes.residual / residual_split(c) + bytes.split / c.plan.tensor;
}

/// Widths of a layer as numbers.
struct Widths {
  explicit Widths(const Transformer& m)
      : hidden(static_cast<double>(m.hidden)),
        query(static_cast<double>(m.query_width())),
        key_value(static_cast<double>(m.key_value_width())),
        ffn(static_cast<double>(m.ffn)),
        up(ffn * (m.gated_mlp ? 2 : 1)) {}
  double hidden, query, key_value, ffn, up;
};

/// Sums of the softmax, one per head, where scores stay on chip.
double softmax_statistics(const MemoryCase& c) {
  return stores_scores(c) ? 0 : bytes_32bit * static_cast<double>(c.model.heads);
}

/// Softmax output, and with dropout its mask and result.
double score_bytes(const MemoryCase& c) {
  if (!stores_scores(c)) return 0;
  const double each = bytes_16bit + (c.stack.memory.dropout ? mask + bytes_16bit : 0);
  return each * static_cast<double>(c.model.heads) * c.sequence;
}

/// Nothing is computed again: inputs of norms, multiplies, attention and activation function.
TokenBytes everything(const MemoryCase& c) {
  const Widths w(c.model);
  const bool narrow = keeps_narrow_copies(c);
  const double input = narrow ? element_size(c.precision) : bytes_16bit;
  TokenBytes out;
  out.residual = w.hidden * (2 * bytes_16bit + (c.stack.lean_activations ? 0 : 2 * input));
  if (c.stack.memory.dropout) out.residual += 2 * mask * w.hidden;
  const double attention = bytes_16bit * (2 * w.query + 2 * w.key_value) + (narrow ? input * w.query : 0);
  // Unfused, a gated MLP also keeps the activation function's result beside its input.
  const double activation = c.model.gated_mlp && !c.stack.fused_elementwise ? bytes_16bit * w.ffn : 0;
  const double product = c.stack.lean_activations ? 0 : input * w.ffn;
  out.split = attention + softmax_statistics(c) + score_bytes(c) + bytes_16bit * w.up + activation + product;
  return out;
}

/// Input of the layer, results of the first, third and fifth multiply (the last is not needed again) and of attention.
TokenBytes every_second_multiply(const MemoryCase& c) {
  const Widths w(c.model);
  return {bytes_16bit * w.hidden, bytes_16bit * (2 * w.query + w.key_value + w.ffn) + softmax_statistics(c)};
}

/// Input of the layer and of its second half, results of all multiplies by weights; attention runs again.
TokenBytes all_multiplies(const MemoryCase& c) {
  const Widths w(c.model);
  return {2 * bytes_16bit * w.hidden, bytes_16bit * (w.query + 2 * w.key_value + w.up)};
}

TokenBytes stored(const MemoryCase& c, Recompute recompute) {
  const TokenBytes all = everything(c);
  switch (recompute) {
    case Recompute::none:
      return all;
    case Recompute::full:
      return {bytes_16bit * static_cast<double>(c.model.hidden), 0};
    case Recompute::selective:
      break;
  }
  if (c.stack.selective == SelectiveRecompute::every_second) return every_second_multiply(c);
  if (c.stack.selective == SelectiveRecompute::all_but_multiplies) return all_multiplies(c);
  return {all.residual, all.split - score_bytes(c)};
}

/// Gradients of the residual stream, and of the wider of MLP and attention.
TokenBytes gradients_in_passing(const MemoryCase& c) {
  const Widths w(c.model);
  const double scores = stores_scores(c) ? 2 * bytes_16bit * static_cast<double>(c.model.heads) * c.sequence : 0;
  const double attention = bytes_16bit * 2 * (w.query + w.key_value) + scores;
  return {2 * bytes_16bit * w.hidden, std::max(bytes_16bit * (w.up + w.ffn), attention)};
}

/// The schedule repeats itself long before this many micro-batches; those in flight do not grow any more.
Plan as_long_as_matters(Plan plan) {
  plan.micro_batches = std::min(plan.micro_batches, 4 * plan.interleaving_group());
  return plan;
}

/// Of a layer until its weight gradients: inputs of multiplies, and gradients of their results, which the tensor group
/// has gathered where they were split.
TokenBytes kept_by_layer(const MemoryCase& c) {
  const Widths w(c.model);
  const double input = keeps_narrow_copies(c) ? element_size(c.precision) : bytes_16bit;
  const double whole_gradients = 2 * bytes_16bit * w.hidden * residual_split(c);
  const double split_gradients = bytes_16bit * (w.query + 2 * w.key_value + w.up);
  return {2 * input * w.hidden + whole_gradients, input * (w.query + w.ffn) + split_gradients};
}

/// The same of the head.
TokenBytes kept_by_head(const MemoryCase& c) {
  return {bytes_16bit * static_cast<double>(c.model.hidden), bytes_16bit * static_cast<double>(c.model.vocabulary)};
}

Bytes kept_for_weights(const MemoryCase& c, const ChunkContents& contents) {
  const double head = contents.head && c.lora_rank == 0 ? per_token(c, kept_by_head(c)) : 0;
  return local_tokens(c) * (contents.layers * per_token(c, kept_by_layer(c)) + head) * byte;
}

/// Logits of the micro-batches before the present one, where the stack keeps them.
Bytes kept_logits(const MemoryCase& c, int stage) {
  if (!c.stack.memory.keeps_logits || c.plan.pipeline == 1 || !c.layout.holds_head(stage)) return {};
  const double logits = bytes_16bit * static_cast<double>(c.model.vocabulary);
  return (c.plan.micro_batches / c.plan.weight_copies() - 1) * local_tokens(c) * per_token(c, {0, logits}) * byte;
}

/// Layers of a chunk that store as the plan's recomputation says; the others store everything.
int lean_layers(const Plan& plan, const StageLayout& layout, int stage, int chunk) {
  const int layers = layout.at(stage, chunk).layers;
  if (!plan.recomputed_layers) return layers;
  return std::clamp(*plan.recomputed_layers - layout.layers_before(stage, chunk), 0, layers);
}

/// What a micro-batch leaves on a chunk: from its forward to its backward pass, and on to its weight gradients.
struct ChunkBytes {
  Bytes stored, kept;

  /// What a slot leaves behind beyond what it found.
  Bytes change(const PipelineSlot& slot) const {
    if (slot.forward) return stored;
    if (slot.part == BackwardPart::weight) return -kept;
    return (slot.part == BackwardPart::input ? kept : Bytes{}) - stored;
  }
};

std::vector<ChunkBytes> bytes_by_chunk(const MemoryCase& c, int stage) {
  const Bytes layer = layer_activations(c);
  const Bytes whole = local_tokens(c) * per_token(c, stored(c, Recompute::none)) * byte;
  std::vector<ChunkBytes> chunks;
  for (int chunk = 0; chunk < c.layout.chunks(); ++chunk) {
    const ChunkContents& contents = c.layout.at(stage, chunk);
    const int lean = lean_layers(c.plan, c.layout, stage, chunk);
    const Bytes stored_here = c.offload.activations ? Bytes{} : layer * lean + whole * (contents.layers - lean);
    chunks.push_back({stored_here, kept_for_weights(c, contents)});
  }
  return chunks;
}

}  // namespace

Bytes layer_activations(const MemoryCase& c) {
  return local_tokens(c) * per_token(c, stored(c, c.plan.recompute)) * byte;
}

Bytes layer_working_set(const MemoryCase& c) {
  const double again = per_token(c, everything(c)) - per_token(c, stored(c, c.plan.recompute));
  return local_tokens(c) * (std::max(0.0, again) + per_token(c, gradients_in_passing(c))) * byte;
}

Bytes stored_activations(const MemoryCase& c, int stage) {
  const std::vector<ChunkBytes> chunks = bytes_by_chunk(c, stage);
  Bytes held, peak;
  for (const PipelineSlot& slot : stage_schedule(as_long_as_matters(c.plan), stage)) {
    held += chunks[static_cast<std::size_t>(slot.chunk)].change(slot);
    peak = std::max(peak, held);
  }
  if (c.offload.activations) return peak + layer_activations(c) * std::min(2, c.layout.layers_on(stage));
  return peak + kept_logits(c, stage);
}

Bytes logit_memory(const MemoryCase& c, int stage) {
  if (!c.layout.holds_head(stage)) return {};
  const StackMemory& memory = c.stack.memory;
  const bool split = c.plan.tensor > 1 && memory.split_loss_size;
  const double size = split ? memory.split_loss_size->value : memory.loss_size.value;
  const double norm = 2 * bytes_16bit * static_cast<double>(c.model.hidden);
  const double gathered = c.plan.sequence_parallel ? norm / 2 : 0;  // the head's input
  const double logits = static_cast<double>(c.model.vocabulary) * size;
  return local_tokens(c) * (per_token(c, {norm, logits}) + gathered) * byte;
}

}  // namespace clusterwright
