// SPDX-License-Identifier: Apache-2.0
#include "models/plan/planned_job.hpp"
#include "models/plan/plan.hpp"

#include <algorithm>
#include <array>

namespace clusterwright {

namespace {

constexpr double weight_size = 2;  ///< bytes of a weight that GEMMs read, unless they run in 8 bits

}  // namespace

PlannedJob planned_job(const Transformer& model, const Job& job, const SoftwareStack& stack, const Plan& plan,
                       const StageLayout& layout) {
  return {model,         plan,        layout,     stack, job.sequence, job.lora_rank, job.sample_tokens,
          job.precision, job.offload, job.routing};
}

double local_tokens(const PlannedJob& planned) {
  return static_cast<double>(planned.sequence) * planned.plan.micro_batch / planned.plan.context;
}

double residual_split(const PlannedJob& planned) {
  return planned.plan.sequence_parallel ? planned.plan.tensor : 1;
}

double key_value_copies(const PlannedJob& planned) {
  return std::max(1.0, static_cast<double>(planned.plan.tensor) / static_cast<double>(planned.model.key_value_heads()));
}

double shard_ranks(const PlannedJob& planned) {
  return planned.plan.in_groups() ? planned.plan.shard_group : planned.plan.gradient_ranks();
}

double expert_shard_ranks(const PlannedJob& planned) {
  return planned.plan.expert_replicas();
}

bool copies_share_optimizer(const PlannedJob& planned) {
  const bool states_only = planned.plan.sharding == Sharding::zero1 || planned.plan.sharding == Sharding::zero2;
  return planned.layout.is_mirrored() && states_only;
}

bool streams_weights(const PlannedJob& planned) {
  const bool elsewhere = planned.plan.gradient_ranks() > 1 || planned.offload.weights != MemoryLevel::device;
  return shards_weights(planned.plan.sharding) && planned.plan.pipeline == 1 && elsewhere;
}

bool shards_master_weights(const PlannedJob& planned) {
  return planned.plan.sharding == Sharding::fsdp || planned.plan.sharding == Sharding::hsdp;
}

double master_copy_size(const PlannedJob& planned) {
  const double size = planned.stack.memory.master_size.value;
  return size > weight_size ? size : 0;
}

double optimizer_state_size(const PlannedJob& planned, bool beside) {
  return 2 * planned.stack.memory.moment_size.value + (beside ? master_copy_size(planned) : 0);
}

MemoryLevel optimizer_level(const PlannedJob& planned) {
  const bool follows = planned.offload.optimizer == MemoryLevel::device && shards_master_weights(planned);
  return follows ? planned.offload.weights : planned.offload.optimizer;
}

bool updates_on_host(const PlannedJob& planned) {
  return optimizer_level(planned) == MemoryLevel::host || optimizer_level(planned) == MemoryLevel::nvme;
}

double gathered_layer_size(const PlannedJob& planned) {
  return planned.stack.narrow_gather && element_size(planned.precision) < 2 ? 1 : planned.stack.gathered_size.value;
}

double element_size(Precision precision) {
  constexpr double block_scale = 1.0 / 32;  // one byte for 32 elements, in nvfp4 for 16
  constexpr std::array<double, 9> sizes = {2, 2, 1, 1, 1, 1 + block_scale, 0.5 + 2 * block_scale, 1, 4};
  return sizes[static_cast<std::size_t>(precision)];
}

double activation_size(Precision precision) {
  return precision == Precision::fp32 ? 4 : 2;
}

bool keeps_narrow_copies(const PlannedJob& planned) {
  return planned.stack.memory.narrow_copies && element_size(planned.precision) < 2;
}

bool expands_latents_again(const PlannedJob& planned) {
  return planned.model.latent && planned.stack.selective_latents && planned.plan.recompute == Recompute::selective;
}

bool stores_scores(const PlannedJob& planned) {
  return planned.stack.attention == unfused_kernels;
}

}  // namespace clusterwright
