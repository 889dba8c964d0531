#include "models/plan/planned_job.hpp"
#include "models/plan/plan.hpp"

#include <array>

namespace clusterwright {

MemoryCase memory_case(const Transformer& model, const Job& job, const SoftwareStack& stack, const Plan& plan,
                       const StageLayout& layout) {
  return {model,         plan,        layout,     stack, job.sequence, job.lora_rank, job.sample_tokens,
          job.precision, job.offload, job.routing};
}

double local_tokens(const MemoryCase& c) {
  return static_cast<double>(c.sequence) * c.plan.micro_batch / c.plan.context;
}

double residual_split(const MemoryCase& c) {
  return c.plan.sequence_parallel ? c.plan.tensor : 1;
}

double shard_ranks(const MemoryCase& c) {
  return c.plan.sharding == Sharding::hsdp ? c.plan.shard_group : c.plan.gradient_ranks();
}

double expert_shard_ranks(const MemoryCase& c) {
  return c.plan.expert_replicas();
}

bool copies_share_optimizer(const MemoryCase& c) {
  const bool states_only = c.plan.sharding == Sharding::zero1 || c.plan.sharding == Sharding::zero2;
  return c.layout.is_mirrored() && states_only;
}

bool streams_weights(const MemoryCase& c) {
  const bool elsewhere = c.plan.gradient_ranks() > 1 || c.offload.weights != Tier::device;
  return shards_weights(c.plan.sharding) && c.plan.pipeline == 1 && elsewhere;
}

bool shards_master_weights(const MemoryCase& c) {
  return c.plan.sharding == Sharding::fsdp || c.plan.sharding == Sharding::hsdp;
}

Tier optimizer_tier(const MemoryCase& c) {
  const bool follows = c.offload.optimizer == Tier::device && shards_master_weights(c);
  return follows ? c.offload.weights : c.offload.optimizer;
}

bool updates_on_host(const MemoryCase& c) {
  return optimizer_tier(c) == Tier::host || optimizer_tier(c) == Tier::nvme;
}

double gathered_layer_size(const MemoryCase& c) {
  return c.stack.narrow_gather && element_size(c.precision) < 2 ? 1 : c.stack.gathered_size.value;
}

double element_size(Precision precision) {
  constexpr double block_scale = 1.0 / 32;  // one byte for 32 elements, in nvfp4 for 16
  constexpr std::array<double, 9> sizes = {2, 2, 1, 1, 1, 1 + block_scale, 0.5 + 2 * block_scale, 1, 4};
  return sizes[static_cast<std::size_t>(precision)];
}

double activation_size(Precision precision) {
  return precision == Precision::fp32 ? 4 : 2;
}

bool keeps_narrow_copies(const MemoryCase& c) {
  return c.stack.memory.narrow_copies && element_size(c.precision) < 2;
}

bool expands_latents_again(const MemoryCase& c) {
  return c.model.latent && c.stack.selective_latents && c.plan.recompute == Recompute::selective;
}

bool stores_scores(const MemoryCase& c) {
  return c.stack.attention == "unfused";
}

}  // namespace clusterwright
