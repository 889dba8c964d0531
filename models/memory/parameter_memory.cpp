// SPDX-License-Identifier: Apache-2.0
#include "models/memory/parameter_memory.hpp"

#include "models/kernels/streaming_time.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

double outside_head(const PlannedJob& planned) {
  return head_weights(planned) +
         static_cast<double>(planned.model.predicted_tokens) * extra_prediction_parameters(planned.model);
}

/// Embedding, head, last norm, and what joins the inputs of further predictions.
double outside_layers(const PlannedJob& planned, int stage) {
  const double table = planned.layout.holds_embedding(stage) ? embedding_parameters(planned.model) : 0;
  return (table + (planned.layout.holds_head(stage) ? outside_head(planned) : 0)) / planned.plan.tensor;
}

/// Weights of a layer's keys and values that ranks hold beyond a split of all of them.
double copied_key_values(const PlannedJob& planned) {
  const Transformer& m = planned.model;
  const auto width = static_cast<double>(m.key_value_width() + m.key_value_heads() * m.width_of_value());
  return static_cast<double>(m.hidden) * width * (key_value_copies(planned) - 1);
}

RankParameters largest_layer(const PlannedJob& planned) {
  return layer_share(planned, planned.model.layers_of(LayerKind::experts) > 0 ? LayerKind::experts : LayerKind::dense);
}

/// Parameters that are gathered, and whose gradients are scattered, in one go. Experts that one rank alone holds never
/// are.
double gathered_unit(const PlannedJob& planned) {
  const RankParameters layer = largest_layer(planned);
  const double routed = expert_shard_ranks(planned) > 1 ? layer.routed : 0;
  if (!planned.stack.memory.gathers_by_multiply) return layer.common + routed;
  const double up = static_cast<double>(planned.model.ffn) * (planned.model.gated_mlp ? 2 : 1);
  const double qkv = static_cast<double>(planned.model.query_width() + 2 * planned.model.key_value_width());
  return static_cast<double>(planned.model.hidden) * std::max(up, qkv) / planned.plan.tensor;
}

/// Bytes of weights that the layer's GEMMs read: 16-bit, 8-bit with their transposes, or both.
double layer_weight_size(const PlannedJob& planned) {
  if (!keeps_narrow_copies(planned)) return bytes_16bit;
  const double copies = 2 * element_size(planned.precision);
  return planned.stack.narrow_gather || !planned.stack.memory.wide_weights ? copies : bytes_16bit + copies;
}

/// Adding up over micro-batches needs gradients whole, unless each is reduced before the next.
bool keeps_whole_gradients(const PlannedJob& planned) {
  if (!shards_gradients(planned.plan.sharding) || planned.plan.pipeline > 1) return true;
  return planned.plan.sharding != Sharding::zero2 && planned.plan.micro_batches > 1 &&
         !planned.stack.reduce_every_micro_batch;
}

}  // namespace

double head_weights(const PlannedJob& planned) {
  const bool copies = planned.model.tied_embeddings && planned.plan.pipeline > 1 && !planned.layout.is_mirrored();
  return head_parameters(planned.model) +
         (copies ? static_cast<double>(planned.model.vocabulary * planned.model.hidden) : 0);
}

RankParameters& RankParameters::operator+=(const RankParameters& other) {
  common += other.common;
  routed += other.routed;
  return *this;
}

RankParameters layer_share(const PlannedJob& planned, LayerKind kind) {
  const double routed = routed_parameters(planned.model, kind);
  return {(layer_parameters(planned.model, kind) - routed + copied_key_values(planned)) / planned.plan.tensor,
          routed / (static_cast<double>(planned.plan.expert) * planned.plan.expert_tensor)};
}

RankParameters head_share(const PlannedJob& planned) {
  RankParameters share =
      static_cast<double>(planned.model.predicted_tokens) * layer_share(planned, planned.model.last_kind());
  share.common += outside_head(planned) / planned.plan.tensor;
  return share;
}

RankParameters layers_share(const PlannedJob& planned, int first, int count) {
  RankParameters sum;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    if (const auto layers = planned.model.layers_of(kind, first, count); layers > 0)
      sum += static_cast<double>(layers) * layer_share(planned, kind);
  return sum;
}

RankParameters stage_layers_share(const PlannedJob& planned, int stage) {
  RankParameters sum;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk) {
    const ChunkContents& contents = planned.layout.at(stage, chunk);
    sum += layers_share(planned, contents.first_layer, contents.layers);
  }
  if (planned.layout.holds_head(stage))
    sum += static_cast<double>(planned.model.predicted_tokens) * layer_share(planned, planned.model.last_kind());
  return sum;
}

double owned_part(const PlannedJob& planned, const RankParameters& p) {
  return p.common / shard_ranks(planned) + p.routed / expert_shard_ranks(planned);
}

RankParameters local_parameters(const PlannedJob& planned, int stage) {
  RankParameters sum = stage_layers_share(planned, stage);
  sum.common += outside_layers(planned, stage);
  return sum;
}

RankParameters adapters_of(const PlannedJob& planned, int first, int count) {
  double sum = 0;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
    sum += static_cast<double>(planned.model.layers_of(kind, first, count)) *
           adapter_parameters(planned.model, planned.lora_rank, kind);
  return {sum / planned.plan.tensor, 0};
}

RankParameters trained_parameters(const PlannedJob& planned, int stage) {
  if (planned.lora_rank == 0) return local_parameters(planned, stage);
  RankParameters sum;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk)
    sum += adapters_of(planned, planned.layout.at(stage, chunk).first_layer, planned.layout.at(stage, chunk).layers);
  return sum;
}

Bytes weight_memory(const PlannedJob& planned, int stage) {
  if (planned.offload.weights != MemoryLevel::device) return {};
  const RankParameters local = local_parameters(planned, stage), trained = trained_parameters(planned, stage);
  const bool frozen = planned.lora_rank > 0;
  const bool master = shards_master_weights(planned) && planned.offload.optimizer == MemoryLevel::device;
  if (shards_weights(planned.plan.sharding))
    return ((frozen ? owned_part(planned, local) * bytes_16bit : 0) +
            owned_part(planned, trained) * (master ? planned.stack.memory.master_size.value : bytes_16bit)) *
           byte;
  const double narrow = stage_layers_share(planned, stage).total();
  return ((local.total() - narrow) * bytes_16bit + narrow * layer_weight_size(planned) +
          (frozen ? trained.total() * bytes_16bit : 0)) *
         byte;
}

Bytes gradient_memory(const PlannedJob& planned, int stage) {
  const RankParameters trained = trained_parameters(planned, stage);
  const double size = planned.stack.gradient_size.value;
  if (keeps_whole_gradients(planned))
    return trained.total() * (size + planned.stack.memory.kept_gradient_size.value) * byte;
  return owned_part(planned, trained) * size * byte;
}

bool gradients_come_late(const PlannedJob& planned) {
  const Plan& p = planned.plan;
  return planned.stack.memory.frees_gradients && p.micro_batches == 1 && p.pipeline == 1 && p.gradient_ranks() == 1;
}

Bytes passing_gradients(const PlannedJob& planned, int stage) {
  if (!streams_weights(planned) || keeps_whole_gradients(planned)) return {};
  const double layer = planned.lora_rank > 0
                           ? adapters_of(planned, static_cast<int>(planned.model.layers) - 1, 1).total()
                           : gathered_unit(planned);
  const bool passed = planned.lora_rank > 0 || planned.stack.memory.gathers_by_multiply;
  const double root = passed ? 0 : outside_layers(planned, stage);
  return (layer * (bytes_16bit + planned.stack.reduced_size.value) + root * bytes_16bit) * byte;
}

double updated_part(const PlannedJob& planned, const RankParameters& p) {
  if (planned.plan.sharding == Sharding::none) return p.total();
  return owned_part(planned, p) / (copies_share_optimizer(planned) ? planned.plan.weight_copies() : 1);
}

Bytes optimizer_memory(const PlannedJob& planned, int stage) {
  if (optimizer_level(planned) != MemoryLevel::device) return {};
  const bool owns = planned.plan.sharding != Sharding::none;
  const double states = optimizer_state_size(planned, !shards_master_weights(planned));
  const double size = states + (owns ? planned.stack.memory.owned_gradient_size.value : 0);
  return updated_part(planned, trained_parameters(planned, stage)) * size * byte + outer_memory(planned, stage);
}

double outer_part(const PlannedJob& planned, const RankParameters& p) {
  return p.total() / planned.plan.shard_group;
}

Bytes outer_memory(const PlannedJob& planned, int stage) {
  if (planned.plan.local_steps == 1) return {};
  return outer_part(planned, trained_parameters(planned, stage)) * 2 * bytes_32bit * byte;
}

Bytes gathered_memory(const PlannedJob& planned, int stage) {
  if (!shards_weights(planned.plan.sharding) ||
      (shard_ranks(planned) == 1 && planned.offload.weights == MemoryLevel::device))
    return {};
  if (!streams_weights(planned))
    return local_parameters(planned, stage).total() * planned.stack.gathered_size.value * byte;
  // A matrix at a time, embedding and head are gathered for themselves and count as one of them.
  const bool layers_whole = !planned.stack.memory.gathers_by_multiply;
  const RankParameters layers = stage_layers_share(planned, stage);
  const double whole = layers.common + (expert_shard_ranks(planned) > 1 ? layers.routed : 0);
  const int ahead = planned.stack.prefetched_layers + (layers_whole ? 2 : 1);
  const double units = planned.stack.regather_for_backward ? std::min(whole, ahead * gathered_unit(planned)) : whole;
  const double root = layers_whole ? outside_layers(planned, stage) : 0;
  return (units * gathered_layer_size(planned) + root * planned.stack.gathered_size.value) * byte;
}

}  // namespace clusterwright
