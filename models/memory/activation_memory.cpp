// SPDX-License-Identifier: Apache-2.0
#include "models/memory/activation_memory.hpp"

#include <algorithm>
#include <vector>

#include "models/kernels/streaming_time.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

constexpr double mask = 1;

/// Bytes per token, by the ranks that split them, and per row of this rank's experts.
struct TokenBytes {
  double residual = 0;  ///< split with sequence parallelism only
  double split = 0;     ///< split over the tensor group
  double rows = 0;
};

Bytes bytes_of(const PlannedJob& planned, const TokenBytes& bytes) {
  const double tokens =
      local_tokens(planned) * (bytes.residual / residual_split(planned) + bytes.split / planned.plan.tensor);
  return (tokens + (bytes.rows > 0 ? expert_rows(planned) * bytes.rows : 0)) * byte;
}

/// Widths of a layer as numbers; of keys and values with their copies, so that a split over the tensor group is what a
/// rank holds.
struct Widths {
  Widths(const PlannedJob& planned, LayerKind kind) : Widths(planned.model, key_value_copies(planned), kind) {}
  static double gates(const Transformer& m) { return m.gated_mlp ? 2 : 1; }
  double hidden, query, key_value, value, attended, latent, ffn, up, expert_ffn, expert_up, experts;

 private:
  Widths(const Transformer& m, double copies, LayerKind kind)
      : hidden(static_cast<double>(m.hidden)),
        query(static_cast<double>(m.query_width())),
        key_value(copies * static_cast<double>(m.key_value_width())),
        value(copies * static_cast<double>(m.key_value_heads() * m.width_of_value())),
        attended(static_cast<double>(m.attention_output_width())),
        latent(m.latent ? static_cast<double>(m.latent->query_rank + m.latent->key_value_rank) : 0),
        ffn(static_cast<double>(kind == LayerKind::dense ? m.ffn : m.experts->shared_width())),
        up(ffn * gates(m)),
        expert_ffn(kind == LayerKind::dense ? 0 : static_cast<double>(m.experts->ffn)),
        expert_up(expert_ffn * gates(m)),
        experts(kind == LayerKind::dense ? 0 : static_cast<double>(m.experts->experts)) {}
};

/// Sums of the softmax, one per head, where scores stay on chip.
double softmax_statistics(const PlannedJob& planned) {
  return stores_scores(planned) ? 0 : bytes_32bit * static_cast<double>(planned.model.heads);
}

/// Softmax output, and with dropout its mask and result.
double score_bytes(const PlannedJob& planned) {
  if (!stores_scores(planned)) return 0;
  const double each = bytes_16bit + (planned.stack.memory.dropout ? mask + bytes_16bit : 0);
  return each * static_cast<double>(planned.model.heads) * planned.sequence;
}

/// Kept of an MLP of inner width `ffn`, per token that it sees. @param input  bytes of an input of a multiply
double mlp_bytes(const PlannedJob& planned, double up, double ffn, double input) {
  // Unfused, a gated MLP also keeps the activation function's result beside its input.
  const double activation = planned.model.gated_mlp && !planned.stack.fused_elementwise ? bytes_16bit * ffn : 0;
  const double before = planned.stack.memory.narrow_activation_inputs ? input : bytes_16bit;
  return before * up + activation + (planned.stack.lean_activations ? 0 : input * ffn);
}

/// Result of attention, for its own backward pass and the projection's.
double attended_bytes(const PlannedJob& planned, double input) {
  if (!keeps_narrow_copies(planned)) return bytes_16bit;
  return planned.stack.memory.attended_size ? planned.stack.memory.attended_size->value : bytes_16bit + input;
}

/// Latent vectors in front of their norms, and behind unless the backward pass computes norms again.
double latent_copies(const PlannedJob& planned) {
  return planned.stack.lean_activations ? 1 : 2;
}

/// Inputs of the two multiplies of a layer whose columns are split: results of norms, which lean stacks compute again,
/// or what the tensor group gathered of them.
double column_inputs(const PlannedJob& planned, double hidden, double input) {
  if (planned.stack.memory.whole_inputs && residual_split(planned) > 1)
    return 2 * input * hidden * residual_split(planned);
  return planned.stack.lean_activations ? 0 : 2 * input * hidden;
}

/// Stored tensors without recomputation: inputs of norms, GEMMs, attention and activation function.
TokenBytes everything(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  const bool narrow = keeps_narrow_copies(planned);
  const double input = narrow ? element_size(planned.precision) : bytes_16bit;
  TokenBytes out;
  out.residual = 2 * bytes_16bit * w.hidden + column_inputs(planned, w.hidden, input);
  if (planned.stack.memory.dropout) out.residual += 2 * mask * w.hidden;
  out.residual += latent_copies(planned) * bytes_16bit * w.latent + bytes_32bit * w.experts;
  const double attention =
      bytes_16bit * (w.query + w.key_value + w.value) + attended_bytes(planned, input) * w.attended;
  out.split = attention + softmax_statistics(planned) + score_bytes(planned) + mlp_bytes(planned, w.up, w.ffn, input);
  if (kind == LayerKind::experts)
    out.rows = input * w.hidden + mlp_bytes(planned, w.expert_up, w.expert_ffn, input) / planned.plan.expert_tensor;
  return out;
}

/// Input of the layer, results of the first, third and fifth multiply (the last is not needed again) and of attention;
/// experts keep what they get and what they multiplied first.
TokenBytes every_second_multiply(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  const double rows = kind == LayerKind::experts ? w.hidden + w.expert_up / planned.plan.expert_tensor : 0;
  return {bytes_16bit * (w.hidden + w.latent),
          bytes_16bit * (w.query + w.attended + w.key_value + w.ffn) + softmax_statistics(planned), bytes_16bit * rows};
}

/// Input of the layer and of its second half, results of all multiplies by weights; attention runs again.
TokenBytes all_multiplies(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  const double rows = kind == LayerKind::experts ? w.hidden + w.expert_up / planned.plan.expert_tensor : 0;
  return {bytes_16bit * (2 * w.hidden + w.latent), bytes_16bit * (w.query + w.key_value + w.value + w.up),
          bytes_16bit * rows};
}

/// Queries, keys and values where they are computed again.
double expanded_latents(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  return expands_latents_again(planned) ? bytes_16bit * (w.query + w.key_value + w.value) : 0;
}

TokenBytes stored(const PlannedJob& planned, LayerKind kind, Recompute recompute) {
  const TokenBytes all = everything(planned, kind);
  switch (recompute) {
    case Recompute::none:
      return all;
    case Recompute::full:
      return {bytes_16bit * static_cast<double>(planned.model.hidden), 0, 0};
    case Recompute::selective:
      break;
  }
  if (planned.stack.selective == SelectiveRecompute::every_second) return every_second_multiply(planned, kind);
  if (planned.stack.selective == SelectiveRecompute::all_but_multiplies) return all_multiplies(planned, kind);
  return {all.residual, all.split - score_bytes(planned) - expanded_latents(planned, kind), all.rows};
}

/// Gradients of the residual stream, and of the wider of MLP and attention.
TokenBytes gradients_in_passing(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  const double scores =
      stores_scores(planned) ? 2 * bytes_16bit * static_cast<double>(planned.model.heads) * planned.sequence : 0;
  const double attention = bytes_16bit * (w.query + w.attended + w.key_value + w.value) + scores;
  const double rows =
      kind == LayerKind::experts ? w.hidden + (w.expert_up + w.expert_ffn) / planned.plan.expert_tensor : 0;
  return {2 * bytes_16bit * w.hidden, std::max(bytes_16bit * (w.up + w.ffn), attention), bytes_16bit * rows};
}

/// Tensors of a layer until its weight gradients: inputs of GEMMs, and gradients of their results, which the tensor
/// group has gathered where they were split. Runs with narrow copies keep both in the format that GEMMs read.
TokenBytes kept_by_layer(const PlannedJob& planned, LayerKind kind) {
  const Widths w(planned, kind);
  const double input = keeps_narrow_copies(planned) ? element_size(planned.precision) : bytes_16bit;
  const double whole_gradients = 2 * input * w.hidden * residual_split(planned);
  const double split_gradients = input * (w.query + w.key_value + w.value + w.up);
  TokenBytes out{2 * input * w.hidden + whole_gradients + 2 * input * w.latent,
                 input * (w.attended + w.ffn) + split_gradients, 0};
  if (kind == LayerKind::experts)
    out.rows = 2 * input * w.hidden + input * (w.expert_ffn + w.expert_up) / planned.plan.expert_tensor;
  return out;
}

/// Tensors of the head until its weight gradients.
TokenBytes kept_by_head(const PlannedJob& planned) {
  return {bytes_16bit * static_cast<double>(planned.model.hidden),
          bytes_16bit * static_cast<double>(planned.model.vocabulary), 0};
}

/// Logits of the micro-batches before the present one, where the stack keeps them.
Bytes kept_logits(const PlannedJob& planned, int stage) {
  if (!planned.stack.memory.keeps_logits || planned.plan.pipeline == 1 || !planned.layout.holds_head(stage)) return {};
  const double logits = bytes_16bit * static_cast<double>(planned.model.vocabulary);
  return (planned.plan.micro_batches / planned.plan.weight_copies() - 1) * bytes_of(planned, {0, logits, 0});
}

Bytes stored_by_layer(const PlannedJob& planned, LayerKind kind, Recompute recompute) {
  return bytes_of(planned, stored(planned, kind, recompute));
}

/// Stored activations of `count` layers from `first` on.
Bytes stored_by_layers(const PlannedJob& planned, int first, int count, Recompute recompute) {
  Bytes sum;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (const auto layers = planned.model.layers_of(kind, first, count); layers > 0)
      sum += static_cast<double>(layers) * stored_by_layer(planned, kind, recompute);
  return sum;
}

/// Stored activations of the layers of one chunk, of one micro-batch.
Bytes stored_by_chunk_layers(const PlannedJob& planned, int stage, int chunk) {
  const ChunkContents& at = planned.layout.at(stage, chunk);
  const int lean = lean_layers(planned, stage, chunk);
  return stored_by_layers(planned, at.first_layer, lean, planned.plan.recompute) +
         stored_by_layers(planned, at.first_layer + lean, at.layers - lean, Recompute::none);
}

/// Stored activations of one micro-batch in one chunk, with those of layers that predict further tokens.
Bytes stored_by_chunk(const PlannedJob& planned, int stage, int chunk) {
  const ChunkContents& at = planned.layout.at(stage, chunk);
  Bytes sum = stored_by_chunk_layers(planned, stage, chunk);
  if (at.head && planned.model.predicted_tokens > 0)
    sum += static_cast<double>(planned.model.predicted_tokens) *
           stored_by_layer(planned, planned.model.last_kind(), planned.plan.recompute);
  return sum;
}

/// Tensors of one micro-batch in one chunk until its weight gradients.
Bytes kept_by_chunk(const PlannedJob& planned, const ChunkContents& at) {
  const auto further = at.head ? static_cast<double>(planned.model.predicted_tokens) : 0;
  Bytes sum;
  if (at.head && planned.lora_rank == 0) sum = (1 + further) * bytes_of(planned, kept_by_head(planned));
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    const double extra = further > 0 && kind == planned.model.last_kind() ? further : 0;
    const double layers = static_cast<double>(planned.model.layers_of(kind, at.first_layer, at.layers)) + extra;
    if (layers > 0) sum += layers * bytes_of(planned, kept_by_layer(planned, kind));
  }
  return sum;
}

std::vector<LayerKind> kinds_of(const Transformer& model) {
  std::vector<LayerKind> out;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (model.layers_of(kind) > 0) out.push_back(kind);
  return out;
}

/// Largest layer among `count` layers from `first` on; zero if there is none.
Bytes largest_layer(const PlannedJob& planned, int first, int count, bool lean) {
  Bytes most;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (planned.model.layers_of(kind, first, count) > 0) most = std::max(most, layer_activations(planned, kind, lean));
  return most;
}

/// Buffers for the layer that runs and the one that travels, where activations leave the device. A recomputed layer
/// grows to its whole size only while it runs. The working set holds that growth, so beside whole layers one of the two
/// buffers is that of a recomputed layer: both together are two whole layers, as without recomputation.
Bytes staging_buffers(const PlannedJob& planned, int stage) {
  Bytes lean, whole;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk) {
    const ChunkContents& at = planned.layout.at(stage, chunk);
    const int first_whole = lean_layers(planned, stage, chunk);
    lean = std::max(lean, largest_layer(planned, at.first_layer, first_whole, true));
    whole = std::max(whole, largest_layer(planned, at.first_layer + first_whole, at.layers - first_whole, false));
  }
  if (lean > Bytes{} && whole > Bytes{}) return lean + whole;
  return std::max(lean, whole) * std::min(2, planned.layout.layers_on(stage));
}

Bytes bytes_at(const HeldMicroBatches& held, const std::vector<ChunkBytes>& chunks) {
  Bytes sum;
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk)
    sum += held.stored[chunk] * chunks[chunk].stored + held.kept[chunk] * chunks[chunk].kept;
  return sum;
}

}  // namespace

int lean_layers(const PlannedJob& planned, int stage, int chunk) {
  const int layers = planned.layout.at(stage, chunk).layers;
  if (!planned.plan.recomputed_layers) return layers;
  return std::clamp(*planned.plan.recomputed_layers - planned.layout.layers_before(stage, chunk), 0, layers);
}

Bytes layer_activations(const PlannedJob& planned, LayerKind kind, bool lean) {
  return stored_by_layer(planned, kind, lean ? planned.plan.recompute : Recompute::none);
}

Bytes layer_activations(const PlannedJob& planned) {
  Bytes most;
  for (const LayerKind kind : kinds_of(planned.model)) most = std::max(most, layer_activations(planned, kind, true));
  return most;
}

Bytes copied_activations(const PlannedJob& planned, int stage) {
  Bytes sum;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk) sum += stored_by_chunk_layers(planned, stage, chunk);
  return sum;
}

Bytes layer_working_set(const PlannedJob& planned) {
  Bytes most;
  for (const LayerKind kind : kinds_of(planned.model)) {
    const Bytes again =
        stored_by_layer(planned, kind, Recompute::none) - stored_by_layer(planned, kind, planned.plan.recompute);
    most = std::max(most, std::max(Bytes{}, again) + bytes_of(planned, gradients_in_passing(planned, kind)));
  }
  return most;
}

std::vector<ChunkBytes> bytes_by_chunk(const PlannedJob& planned, int stage) {
  std::vector<ChunkBytes> chunks;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk) {
    const Bytes stored =
        planned.offload.activations != MemoryLevel::device ? Bytes{} : stored_by_chunk(planned, stage, chunk);
    chunks.push_back({stored, kept_by_chunk(planned, planned.layout.at(stage, chunk))});
  }
  return chunks;
}

Bytes stored_activations(const PlannedJob& planned, int stage) {
  return stored_activations(planned, stage, bytes_by_chunk(planned, stage), fullest_instants(planned.plan, stage));
}

Bytes stored_activations(const PlannedJob& planned, int stage, const std::vector<ChunkBytes>& chunks,
                         const std::vector<HeldMicroBatches>& instants) {
  Bytes peak;
  for (const HeldMicroBatches& held : instants) peak = std::max(peak, bytes_at(held, chunks));
  if (planned.offload.activations != MemoryLevel::device) return peak + staging_buffers(planned, stage);
  return peak + kept_logits(planned, stage);
}

Bytes logit_memory(const PlannedJob& planned, int stage) {
  if (!planned.layout.holds_head(stage)) return {};
  const StackMemory& memory = planned.stack.memory;
  const bool split = planned.plan.tensor > 1 && memory.split_loss_size;
  const double size = split ? memory.split_loss_size->value : memory.loss_size.value;
  const double norm = 2 * bytes_16bit * static_cast<double>(planned.model.hidden);
  const double gathered = planned.plan.sequence_parallel ? norm / 2 : 0;  // the head's input
  const double logits = static_cast<double>(planned.model.vocabulary) * size;
  return bytes_of(planned, {norm, logits, 0}) + local_tokens(planned) * gathered * byte;
}

}  // namespace clusterwright
