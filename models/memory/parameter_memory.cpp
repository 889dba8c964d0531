#include "models/memory/parameter_memory.hpp"

#include "models/kernels/kernel_traffic.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

double outside_head(const MemoryCase& c) {
  return head_weights(c) + static_cast<double>(c.model.predicted_tokens) * extra_prediction_parameters(c.model);
}

/// Embedding, head, last norm, and what joins the inputs of further predictions.
double outside_layers(const MemoryCase& c, int stage) {
  const double table = c.layout.holds_embedding(stage) ? embedding_parameters(c.model) : 0;
  return (table + (c.layout.holds_head(stage) ? outside_head(c) : 0)) / c.plan.tensor;
}

RankParameters largest_layer(const MemoryCase& c) {
  return layer_share(c, c.model.layers_of(LayerKind::experts) > 0 ? LayerKind::experts : LayerKind::dense);
}

/// Parameters that are gathered, and whose gradients are scattered, in one go. Experts that one rank alone holds never
/// are.
double gathered_unit(const MemoryCase& c) {
  const RankParameters layer = largest_layer(c);
  const double routed = expert_shard_ranks(c) > 1 ? layer.routed : 0;
  if (!c.stack.memory.gathers_by_multiply) return layer.common + routed;
  const double up = static_cast<double>(c.model.ffn) * (c.model.gated_mlp ? 2 : 1);
  const double qkv = static_cast<double>(c.model.query_width() + 2 * c.model.key_value_width());
  return static_cast<double>(c.model.hidden) * std::max(up, qkv) / c.plan.tensor;
}

/// Of weights that the layer's multiplies read, 16-bit or narrow with their transposes, or both.
double layer_weight_size(const MemoryCase& c) {
  if (!keeps_narrow_copies(c)) return bytes_16bit;
  const double copies = 2 * element_size(c.precision);
  return c.stack.narrow_gather ? copies : bytes_16bit + copies;
}

/// Adding up over micro-batches needs gradients whole, unless each is reduced before the next.
bool keeps_whole_gradients(const MemoryCase& c) {
  if (!shards_gradients(c.plan.sharding) || c.plan.pipeline > 1) return true;
  return c.plan.sharding != Sharding::zero2 && c.plan.micro_batches > 1 && !c.stack.reduce_every_micro_batch;
}

}  // namespace

double head_weights(const MemoryCase& c) {
  const bool copies = c.model.tied_embeddings && c.plan.pipeline > 1 && !c.layout.is_mirrored();
  return head_parameters(c.model) + (copies ? static_cast<double>(c.model.vocabulary * c.model.hidden) : 0);
}

RankParameters& RankParameters::operator+=(const RankParameters& other) {
  common += other.common;
  routed += other.routed;
  return *this;
}

RankParameters layer_share(const MemoryCase& c, LayerKind kind) {
  const double routed = routed_parameters(c.model, kind);
  return {(layer_parameters(c.model, kind) - routed) / c.plan.tensor,
          routed / (static_cast<double>(c.plan.expert) * c.plan.expert_tensor)};
}

RankParameters head_share(const MemoryCase& c) {
  RankParameters share = static_cast<double>(c.model.predicted_tokens) * layer_share(c, c.model.last_kind());
  share.common += outside_head(c) / c.plan.tensor;
  return share;
}

RankParameters layers_share(const MemoryCase& c, int first, int count) {
  RankParameters sum;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (const auto layers = c.model.layers_of(kind, first, count); layers > 0)
      sum += static_cast<double>(layers) * layer_share(c, kind);
  return sum;
}

RankParameters stage_layers_share(const MemoryCase& c, int stage) {
  RankParameters sum;
  for (int chunk = 0; chunk < c.layout.chunks(); ++chunk) {
    const ChunkContents& contents = c.layout.at(stage, chunk);
    sum += layers_share(c, contents.first_layer, contents.layers);
  }
  if (c.layout.holds_head(stage))
    sum += static_cast<double>(c.model.predicted_tokens) * layer_share(c, c.model.last_kind());
  return sum;
}

double owned_part(const MemoryCase& c, const RankParameters& p) {
  return p.common / shard_ranks(c) + p.routed / expert_shard_ranks(c);
}

RankParameters local_parameters(const MemoryCase& c, int stage) {
  RankParameters sum = stage_layers_share(c, stage);
  sum.common += outside_layers(c, stage);
  return sum;
}

RankParameters adapters_of(const MemoryCase& c, int first, int count) {
  double sum = 0;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    sum += static_cast<double>(c.model.layers_of(kind, first, count)) * adapter_parameters(c.model, c.lora_rank, kind);
  return {sum / c.plan.tensor, 0};
}

RankParameters trained_parameters(const MemoryCase& c, int stage) {
  if (c.lora_rank == 0) return local_parameters(c, stage);
  RankParameters sum;
  for (int chunk = 0; chunk < c.layout.chunks(); ++chunk)
    sum += adapters_of(c, c.layout.at(stage, chunk).first_layer, c.layout.at(stage, chunk).layers);
  return sum;
}

Bytes weight_memory(const MemoryCase& c, int stage) {
  if (c.offload.weights != Tier::device) return {};
  const RankParameters local = local_parameters(c, stage), trained = trained_parameters(c, stage);
  const bool frozen = c.lora_rank > 0;
  const bool master = shards_master_weights(c) && c.offload.optimizer == Tier::device;
  if (shards_weights(c.plan.sharding))
    return ((frozen ? owned_part(c, local) * bytes_16bit : 0) +
            owned_part(c, trained) * (master ? bytes_32bit : bytes_16bit)) *
           byte;
  const double narrow = stage_layers_share(c, stage).total();
  return ((local.total() - narrow) * bytes_16bit + narrow * layer_weight_size(c) +
          (frozen ? trained.total() * bytes_16bit : 0)) *
         byte;
}

Bytes gradient_memory(const MemoryCase& c, int stage) {
  const RankParameters trained = trained_parameters(c, stage);
  const double size = c.stack.gradient_size.value;
  if (keeps_whole_gradients(c)) return trained.total() * (size + c.stack.memory.kept_gradient_size.value) * byte;
  return owned_part(c, trained) * size * byte;
}

Bytes passing_gradients(const MemoryCase& c, int stage) {
  if (!streams_weights(c) || keeps_whole_gradients(c)) return {};
  const double layer =
      c.lora_rank > 0 ? adapters_of(c, static_cast<int>(c.model.layers) - 1, 1).total() : gathered_unit(c);
  const bool passed = c.lora_rank > 0 || c.stack.memory.gathers_by_multiply;
  const double root = passed ? 0 : outside_layers(c, stage);
  return (layer * (bytes_16bit + c.stack.reduced_size.value) + root * bytes_16bit) * byte;
}

double updated_part(const MemoryCase& c, const RankParameters& p) {
  if (c.plan.sharding == Sharding::none) return p.total();
  return owned_part(c, p) / (copies_share_optimizer(c) ? c.plan.weight_copies() : 1);
}

Bytes optimizer_memory(const MemoryCase& c, int stage) {
  if (optimizer_tier(c) != Tier::device) return {};
  const bool owns = c.plan.sharding != Sharding::none;
  const double states = adam_states(!shards_master_weights(c));
  const double size = states + (owns ? c.stack.memory.owned_gradient_size.value : 0);
  return updated_part(c, trained_parameters(c, stage)) * size * byte;
}

Bytes gathered_memory(const MemoryCase& c, int stage) {
  if (!shards_weights(c.plan.sharding) || (shard_ranks(c) == 1 && c.offload.weights == Tier::device)) return {};
  if (!streams_weights(c)) return local_parameters(c, stage).total() * c.stack.gathered_size.value * byte;
  // A matrix at a time, embedding and head are gathered for themselves and count as one of them.
  const bool layers_whole = !c.stack.memory.gathers_by_multiply;
  const RankParameters layers = stage_layers_share(c, stage);
  const double whole = layers.common + (expert_shard_ranks(c) > 1 ? layers.routed : 0);
  const int ahead = c.stack.prefetched_layers + (layers_whole ? 2 : 1);
  const double units = c.stack.regather_for_backward ? std::min(whole, ahead * gathered_unit(c)) : whole;
  const double root = layers_whole ? outside_layers(c, stage) : 0;
  return (units * gathered_layer_size(c) + root * c.stack.gathered_size.value) * byte;
}

}  // namespace clusterwright
