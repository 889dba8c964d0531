#include "models/memory/activation_memory.hpp"

#include <algorithm>

#include "models/pipeline_schedule.hpp"

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
int micro_batches_that_matter(const Plan& plan) {
  return std::min(plan.micro_batches, 4 * plan.interleaving_group());
}

/// Logits of the micro-batches before the present one, where the stack keeps them.
Bytes kept_logits(const MemoryCase& c, int stage) {
  if (!c.stack.memory.keeps_logits || c.plan.pipeline == 1 || stage != c.plan.pipeline - 1) return {};
  const double logits = bytes_16bit * static_cast<double>(c.model.vocabulary);
  return (c.plan.micro_batches - 1) * local_tokens(c) * per_token(c, {0, logits}) * byte;
}

/// Layers of a chunk that store as the plan's recomputation says; the others store everything.
int lean_layers(const Plan& plan, const StageLayout& layout, int stage, int chunk) {
  const int layers = layout.at(stage, chunk).layers;
  if (!plan.recomputed_layers) return layers;
  return std::clamp(*plan.recomputed_layers - layout.layers_before(stage, chunk), 0, layers);
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
  const Bytes layer = layer_activations(c);
  const Bytes whole = local_tokens(c) * per_token(c, stored(c, Recompute::none)) * byte;
  const int most = c.layout.layers_on(stage);
  if (c.offload.activations != Tier::device) return layer * std::min(2, most);
  Bytes held, peak;
  for (const PipelineSlot& slot : pipeline_schedule(stage, c.plan.pipeline, c.plan.virtual_pipeline,
                                                    micro_batches_that_matter(c.plan), c.plan.interleaving_group())) {
    const int layers = c.layout.at(stage, slot.chunk).layers;
    const int lean = lean_layers(c.plan, c.layout, stage, slot.chunk);
    const Bytes chunk = layer * lean + whole * (layers - lean);
    held += slot.forward ? chunk : -chunk;
    peak = std::max(peak, held);
  }
  return peak + kept_logits(c, stage);
}

Bytes logit_memory(const MemoryCase& c, int stage) {
  if (stage != c.plan.pipeline - 1) return {};
  const StackMemory& memory = c.stack.memory;
  const bool split = c.plan.tensor > 1 && memory.split_loss_size;
  const double size = split ? memory.split_loss_size->value : memory.loss_size.value;
  const double norm = 2 * bytes_16bit * static_cast<double>(c.model.hidden);
  const double gathered = c.plan.sequence_parallel ? norm / 2 : 0;  // the head's input
  const double logits = static_cast<double>(c.model.vocabulary) * size;
  return local_tokens(c) * (per_token(c, {norm, logits}) + gathered) * byte;
}

}  // namespace clusterwright
