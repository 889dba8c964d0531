#include "models/memory/activation_memory.hpp"

#include <algorithm>
#include <vector>

#include "models/kernels/kernel_traffic.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

namespace {

constexpr double mask = 1;

/// Bytes per token, by the ranks that split them, and per row of this rank's experts.
struct TokenBytes {
  double residual = 0;  ///< split with sequence parallelism only
  double split = 0;     ///< over the tensor group
  double rows = 0;
};

Bytes bytes_of(const MemoryCase& c, const TokenBytes& bytes) {
  const double tokens = local_tokens(c) * (bytes.residual / residual_split(c) + bytes.split / c.plan.tensor);
  return (tokens + (bytes.rows > 0 ? expert_rows(c) * bytes.rows : 0)) * byte;
}

/// Widths of a layer as numbers.
struct Widths {
  Widths(const Transformer& m, LayerKind kind)
      : hidden(static_cast<double>(m.hidden)),
        query(static_cast<double>(m.query_width())),
        key_value(static_cast<double>(m.key_value_width())),
        value(static_cast<double>(m.key_value_heads() * m.width_of_value())),
        attended(static_cast<double>(m.attention_output_width())),
        latent(m.latent ? static_cast<double>(m.latent->query_rank + m.latent->key_value_rank) : 0),
        ffn(static_cast<double>(kind == LayerKind::dense ? m.ffn : m.experts->shared_width())),
        up(ffn * gates(m)),
        expert_ffn(kind == LayerKind::dense ? 0 : static_cast<double>(m.experts->ffn)),
        expert_up(expert_ffn * gates(m)),
        experts(kind == LayerKind::dense ? 0 : static_cast<double>(m.experts->experts)) {}
  static double gates(const Transformer& m) { return m.gated_mlp ? 2 : 1; }
  double hidden, query, key_value, value, attended, latent, ffn, up, expert_ffn, expert_up, experts;
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

/// Kept of an MLP of inner width `ffn`, per token that it sees. @param input  bytes of an input of a multiply
double mlp_bytes(const MemoryCase& c, double up, double ffn, double input) {
  // Unfused, a gated MLP also keeps the activation function's result beside its input.
  const double activation = c.model.gated_mlp && !c.stack.fused_elementwise ? bytes_16bit * ffn : 0;
  return bytes_16bit * up + activation + (c.stack.lean_activations ? 0 : input * ffn);
}

/// Nothing is computed again: inputs of norms, multiplies, attention and activation function.
TokenBytes everything(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  const bool narrow = keeps_narrow_copies(c);
  const double input = narrow ? element_size(c.precision) : bytes_16bit;
  TokenBytes out;
  out.residual = w.hidden * (2 * bytes_16bit + (c.stack.lean_activations ? 0 : 2 * input));
  if (c.stack.memory.dropout) out.residual += 2 * mask * w.hidden;
  out.residual += 2 * bytes_16bit * w.latent + bytes_32bit * w.experts;
  const double attention =
      bytes_16bit * (w.query + w.attended + w.key_value + w.value) + (narrow ? input * w.attended : 0);
  out.split = attention + softmax_statistics(c) + score_bytes(c) + mlp_bytes(c, w.up, w.ffn, input);
  if (kind == LayerKind::experts)
    out.rows = input * w.hidden + mlp_bytes(c, w.expert_up, w.expert_ffn, input) / c.plan.expert_tensor;
  return out;
}

/// Input of the layer, results of the first, third and fifth multiply (the last is not needed again) and of attention;
/// experts keep what they get and what they multiplied first.
TokenBytes every_second_multiply(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  const double rows = kind == LayerKind::experts ? w.hidden + w.expert_up / c.plan.expert_tensor : 0;
  return {bytes_16bit * (w.hidden + w.latent),
          bytes_16bit * (w.query + w.attended + w.key_value + w.ffn) + softmax_statistics(c), bytes_16bit * rows};
}

/// Input of the layer and of its second half, results of all multiplies by weights; attention runs again.
TokenBytes all_multiplies(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  const double rows = kind == LayerKind::experts ? w.hidden + w.expert_up / c.plan.expert_tensor : 0;
  return {bytes_16bit * (2 * w.hidden + w.latent), bytes_16bit * (w.query + w.key_value + w.value + w.up),
          bytes_16bit * rows};
}

/// Queries, keys and values where they are computed again.
double expanded_latents(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  return expands_latents_again(c) ? bytes_16bit * (w.query + w.key_value + w.value) : 0;
}

TokenBytes stored(const MemoryCase& c, LayerKind kind, Recompute recompute) {
  const TokenBytes all = everything(c, kind);
  switch (recompute) {
    case Recompute::none:
      return all;
    case Recompute::full:
      return {bytes_16bit * static_cast<double>(c.model.hidden), 0, 0};
    case Recompute::selective:
      break;
  }
  if (c.stack.selective == SelectiveRecompute::every_second) return every_second_multiply(c, kind);
  if (c.stack.selective == SelectiveRecompute::all_but_multiplies) return all_multiplies(c, kind);
  return {all.residual, all.split - score_bytes(c) - expanded_latents(c, kind), all.rows};
}

/// Gradients of the residual stream, and of the wider of MLP and attention.
TokenBytes gradients_in_passing(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  const double scores = stores_scores(c) ? 2 * bytes_16bit * static_cast<double>(c.model.heads) * c.sequence : 0;
  const double attention = bytes_16bit * (w.query + w.attended + w.key_value + w.value) + scores;
  const double rows = kind == LayerKind::experts ? w.hidden + (w.expert_up + w.expert_ffn) / c.plan.expert_tensor : 0;
  return {2 * bytes_16bit * w.hidden, std::max(bytes_16bit * (w.up + w.ffn), attention), bytes_16bit * rows};
}

/// The schedule repeats itself long before this many micro-batches; those in flight do not grow any more.
Plan as_long_as_matters(Plan plan) {
  plan.micro_batches = std::min(plan.micro_batches, 4 * plan.interleaving_group());
  return plan;
}

/// Of a layer until its weight gradients: inputs of multiplies, and gradients of their results, which the tensor group
/// has gathered where they were split.
TokenBytes kept_by_layer(const MemoryCase& c, LayerKind kind) {
  const Widths w(c.model, kind);
  const double input = keeps_narrow_copies(c) ? element_size(c.precision) : bytes_16bit;
  const double whole_gradients = 2 * bytes_16bit * w.hidden * residual_split(c);
  const double split_gradients = bytes_16bit * (w.query + w.key_value + w.value + w.up);
  TokenBytes out{2 * input * w.hidden + whole_gradients + (input + bytes_16bit) * w.latent,
                 input * (w.attended + w.ffn) + split_gradients, 0};
  if (kind == LayerKind::experts)
    out.rows =
        (input + bytes_16bit) * w.hidden + (input * w.expert_ffn + bytes_16bit * w.expert_up) / c.plan.expert_tensor;
  return out;
}

/// The same of the head.
TokenBytes kept_by_head(const MemoryCase& c) {
  return {bytes_16bit * static_cast<double>(c.model.hidden), bytes_16bit * static_cast<double>(c.model.vocabulary), 0};
}

/// Logits of the micro-batches before the present one, where the stack keeps them.
Bytes kept_logits(const MemoryCase& c, int stage) {
  if (!c.stack.memory.keeps_logits || c.plan.pipeline == 1 || !c.layout.holds_head(stage)) return {};
  const double logits = bytes_16bit * static_cast<double>(c.model.vocabulary);
  return (c.plan.micro_batches / c.plan.weight_copies() - 1) * bytes_of(c, {0, logits, 0});
}

Bytes stored_by_layer(const MemoryCase& c, LayerKind kind, Recompute recompute) {
  return bytes_of(c, stored(c, kind, recompute));
}

/// Of `count` layers from `first` on.
Bytes stored_by_layers(const MemoryCase& c, int first, int count, Recompute recompute) {
  Bytes sum;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (const auto layers = c.model.layers_of(kind, first, count); layers > 0)
      sum += static_cast<double>(layers) * stored_by_layer(c, kind, recompute);
  return sum;
}

/// Of one micro-batch in one chunk: its first layers store as the plan's recomputation says, the others everything.
Bytes stored_by_chunk(const MemoryCase& c, int stage, int chunk) {
  const ChunkContents& at = c.layout.at(stage, chunk);
  const int before = c.layout.layers_before(stage, chunk);
  const int lean = c.plan.recomputed_layers ? std::clamp(*c.plan.recomputed_layers - before, 0, at.layers) : at.layers;
  Bytes sum = stored_by_layers(c, at.first_layer, lean, c.plan.recompute) +
              stored_by_layers(c, at.first_layer + lean, at.layers - lean, Recompute::none);
  if (at.head && c.model.predicted_tokens > 0)
    sum += static_cast<double>(c.model.predicted_tokens) * stored_by_layer(c, c.model.last_kind(), c.plan.recompute);
  return sum;
}

/// Of one micro-batch in one chunk, until its weight gradients.
Bytes kept_by_chunk(const MemoryCase& c, const ChunkContents& at) {
  const auto further = at.head ? static_cast<double>(c.model.predicted_tokens) : 0;
  Bytes sum;
  if (at.head && c.lora_rank == 0) sum = (1 + further) * bytes_of(c, kept_by_head(c));
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    const double extra = further > 0 && kind == c.model.last_kind() ? further : 0;
    const double layers = static_cast<double>(c.model.layers_of(kind, at.first_layer, at.layers)) + extra;
    if (layers > 0) sum += layers * bytes_of(c, kept_by_layer(c, kind));
  }
  return sum;
}

std::vector<LayerKind> kinds_of(const Transformer& model) {
  std::vector<LayerKind> out;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (model.layers_of(kind) > 0) out.push_back(kind);
  return out;
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
  std::vector<ChunkBytes> chunks;
  for (int chunk = 0; chunk < c.layout.chunks(); ++chunk) {
    const Bytes stored = c.offload.activations != Tier::device ? Bytes{} : stored_by_chunk(c, stage, chunk);
    chunks.push_back({stored, kept_by_chunk(c, c.layout.at(stage, chunk))});
  }
  return chunks;
}

}  // namespace

Bytes layer_activations(const MemoryCase& c) {
  Bytes most;
  for (const LayerKind kind : kinds_of(c.model)) most = std::max(most, stored_by_layer(c, kind, c.plan.recompute));
  return most;
}

Bytes layer_working_set(const MemoryCase& c) {
  Bytes most;
  for (const LayerKind kind : kinds_of(c.model)) {
    const Bytes again = stored_by_layer(c, kind, Recompute::none) - stored_by_layer(c, kind, c.plan.recompute);
    most = std::max(most, std::max(Bytes{}, again) + bytes_of(c, gradients_in_passing(c, kind)));
  }
  return most;
}

Bytes stored_activations(const MemoryCase& c, int stage) {
  const std::vector<ChunkBytes> chunks = bytes_by_chunk(c, stage);
  Bytes held, peak;
  for (const PipelineSlot& slot : stage_schedule(as_long_as_matters(c.plan), stage)) {
    held += chunks[static_cast<std::size_t>(slot.chunk)].change(slot);
    peak = std::max(peak, held);
  }
  if (c.offload.activations != Tier::device)
    return peak + layer_activations(c) * std::min(2, c.layout.layers_on(stage));
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
  return bytes_of(c, {norm, logits, 0}) + local_tokens(c) * gathered * byte;
}

}  // namespace clusterwright
