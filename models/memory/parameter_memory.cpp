#include "models/memory/parameter_memory.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

constexpr double bytes_16bit = 2;
constexpr double bytes_32bit = 4;
constexpr double adam_moments = 2;

bool holds_head(const MemoryCase& c, int stage) {
  return stage == c.plan.pipeline - 1;
}

double layer_share(const MemoryCase& c) {
  return layer_parameters(c.model) / c.plan.tensor;
}

/// Embedding, head and last norm.
double outside_layers(const MemoryCase& c, int stage) {
  return local_parameters(c, stage) - c.layout.layers_on(stage) * layer_share(c);
}

/// Parameters that are gathered, and whose gradients are scattered, in one go.
double gathered_unit(const MemoryCase& c) {
  if (!c.stack.memory.gathers_by_multiply) return layer_share(c);
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
  const bool copies = c.model.tied_embeddings && c.plan.pipeline > 1;
  return head_parameters(c.model) + (copies ? static_cast<double>(c.model.vocabulary * c.model.hidden) : 0);
}

double local_parameters(const MemoryCase& c, int stage) {
  double count = c.layout.layers_on(stage) * layer_parameters(c.model);
  if (stage == 0) count += embedding_parameters(c.model);
  if (holds_head(c, stage)) count += head_weights(c);
  return count / c.plan.tensor;
}

double trained_parameters(const MemoryCase& c, int stage) {
  if (c.lora_rank == 0) return local_parameters(c, stage);
  return c.layout.layers_on(stage) * adapter_parameters(c.model, c.lora_rank) / c.plan.tensor;
}

Bytes weight_memory(const MemoryCase& c, int stage) {
  if (c.offload.weights != Tier::device) return {};
  const double shards = shards_weights(c.plan.sharding) ? shard_ranks(c) : 1;
  const double local = local_parameters(c, stage), trained = trained_parameters(c, stage);
  const double frozen = c.lora_rank > 0 ? local : 0;
  const bool master = shards_master_weights(c) && c.offload.optimizer == Tier::device;
  if (shards_weights(c.plan.sharding))
    return (frozen * bytes_16bit + trained * (master ? bytes_32bit : bytes_16bit)) / shards * byte;
  const double narrow = c.layout.layers_on(stage) * layer_share(c);
  return ((local - narrow) * bytes_16bit + narrow * layer_weight_size(c) + (frozen > 0 ? trained * bytes_16bit : 0)) *
         byte;
}

Bytes gradient_memory(const MemoryCase& c, int stage) {
  const double trained = trained_parameters(c, stage), size = c.stack.gradient_size.value;
  if (keeps_whole_gradients(c)) return trained * (size + c.stack.memory.kept_gradient_size.value) * byte;
  return trained * size / shard_ranks(c) * byte;
}

Bytes passing_gradients(const MemoryCase& c, int stage) {
  if (!streams_weights(c) || keeps_whole_gradients(c)) return {};
  const double adapters = c.lora_rank > 0 ? adapter_parameters(c.model, c.lora_rank) / c.plan.tensor : 0;
  const double layer = c.lora_rank > 0 ? adapters : gathered_unit(c);
  const bool passed = c.lora_rank > 0 || c.stack.memory.gathers_by_multiply;
  const double root = passed ? 0 : outside_layers(c, stage);
  return (layer * (bytes_16bit + c.stack.reduced_size.value) + root * bytes_16bit) * byte;
}

Bytes optimizer_memory(const MemoryCase& c, int stage) {
  if (optimizer_tier(c) != Tier::device) return {};
  const double shards = c.plan.sharding == Sharding::none ? 1 : shard_ranks(c);
  const double states = (adam_moments + (shards_master_weights(c) ? 0 : 1)) * bytes_32bit;
  const bool owns = c.plan.sharding != Sharding::none;
  const double size = states + (owns ? c.stack.memory.owned_gradient_size.value : 0);
  return trained_parameters(c, stage) * size / shards * byte;
}

Bytes gathered_memory(const MemoryCase& c, int stage) {
  if (!shards_weights(c.plan.sharding) || (shard_ranks(c) == 1 && c.offload.weights == Tier::device)) return {};
  if (!streams_weights(c)) return local_parameters(c, stage) * c.stack.gathered_size.value * byte;
  // A matrix at a time, embedding and head are gathered for themselves and count as one of them.
  const bool layers_whole = !c.stack.memory.gathers_by_multiply;
  const int layers = c.layout.layers_on(stage), ahead = c.stack.prefetched_layers + (layers_whole ? 2 : 1);
  const double units = c.stack.regather_for_backward ? std::min(layers * layer_share(c), ahead * gathered_unit(c))
                                                     : layers * layer_share(c);
  const double root = layers_whole ? outside_layers(c, stage) : 0;
  return (units * gathered_layer_size(c) + root * c.stack.gathered_size.value) * byte;
}

}  // namespace clusterwright
