// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "models/kernels/streaming_time.hpp"
#include "models/memory/activation_memory.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

/// Parameters that one rank of `stage` updates.
double owned_parameters(const PlannedJob& planned, int stage) {
  return updated_part(planned, trained_parameters(planned, stage));
}

/// Weights that are the master weights have 32 bit, and are no part of the states then.
bool holds_master_weights(const PlannedJob& planned) {
  return shards_master_weights(planned) && planned.offload.weights != MemoryLevel::device;
}

Bytes weights_of_rank(const PlannedJob& planned, int stage) {
  const auto held = [&](const RankParameters& p) {
    return shards_weights(planned.plan.sharding) ? owned_part(planned, p) : p.total();
  };
  const double frozen = planned.lora_rank > 0 ? held(local_parameters(planned, stage)) : 0;
  const double size = holds_master_weights(planned) ? bytes_32bit : bytes_16bit;
  return (frozen * bytes_16bit + held(trained_parameters(planned, stage)) * size) * byte;
}

Bytes activations_of_rank(const PlannedJob& planned, int stage) {
  PlannedJob at_home = planned;
  at_home.offload.activations = MemoryLevel::device;
  return stored_activations(at_home, stage);
}

/// Copies that asynchronous checkpoints are written from.
bool holds_checkpoint(const Scenario& s) {
  const auto& input = s.job.input;
  return input && input->checkpoint && input->checkpoint->mode == CheckpointMode::asynchronous;
}

bool used(const Scenario& s, MemoryLevel tier) {
  const bool gradients = tier == MemoryLevel::host && s.job.offload.uses(MemoryLevel::nvme);
  return s.job.offload.uses(tier) || gradients || (tier == MemoryLevel::host && holds_checkpoint(s));
}

std::optional<Bytes> capacity_of(const Cluster& cluster, MemoryLevel tier) {
  if (tier == MemoryLevel::pool) return cluster.spec.pool ? cluster.spec.pool->capacity : std::nullopt;
  return tier == MemoryLevel::host ? cluster.spec.node.host.memory : cluster.spec.node.host.nvme;
}

/// @param together  accelerators whose bytes add up
LevelBytes fullest(const Scenario& s, const PlannedJob& planned, const Placement& placement, MemoryLevel tier,
                   int together) {
  const Plan& plan = placement.plan();
  const bool copies = tier == MemoryLevel::host && holds_checkpoint(s);
  std::map<int, LevelBytes> places;
  for (int p = 0; p < plan.pipeline; ++p) {
    const LevelBytes alike = level_bytes_of_rank(planned, tier, p);
    for (int d = 0; d < plan.gradient_ranks(); ++d) {
      LevelBytes rank = alike;
      if (copies) rank.checkpoint = checkpoint_of_rank(planned, p, d);
      for (int t = 0; t < plan.tensor; ++t) places[placement.rank({t, d, p}) / together] += rank;
    }
  }
  return std::max_element(places.begin(), places.end(),
                          [](const auto& a, const auto& b) { return a.second.total() < b.second.total(); })
      ->second;
}

std::string sentence(const LevelUse& use) {
  using Kind = std::pair<const char*, Bytes>;
  const std::array<Kind, 5> kinds = {{{"weights", use.bytes.weights},
                                      {"gradients", use.bytes.gradients},
                                      {"optimizer state", use.bytes.optimizer},
                                      {"activations", use.bytes.activations},
                                      {"the copy of a checkpoint", use.bytes.checkpoint}}};
  const Kind largest =
      *std::max_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.second < b.second; });
  constexpr std::array<const char*, 4> places = {"", "host memory of a node", "the memory pool",
                                                 "the drives of a node"};
  return fmt::format("does not fit: {} would need {:.1f} of {:.1f} GB, most of it {} ({:.1f} GB)",
                     places[static_cast<std::size_t>(use.tier)], use.bytes.total().in(gigabyte),
                     use.capacity->in(gigabyte), largest.first, largest.second.in(gigabyte));
}

}  // namespace

LevelBytes& LevelBytes::operator+=(const LevelBytes& other) {
  weights += other.weights;
  gradients += other.gradients;
  optimizer += other.optimizer;
  activations += other.activations;
  checkpoint += other.checkpoint;
  return *this;
}

LevelBytes level_bytes_of_rank(const PlannedJob& planned, MemoryLevel tier, int stage) {
  LevelBytes bytes;
  if (planned.offload.weights == tier) bytes.weights = weights_of_rank(planned, stage);
  if (optimizer_level(planned) == tier)
    bytes.optimizer = owned_parameters(planned, stage) * adam_states(!holds_master_weights(planned)) * byte;
  if (tier == MemoryLevel::host && updates_on_host(planned))
    bytes.gradients = owned_parameters(planned, stage) * planned.stack.reduced_size.value * byte;
  if (planned.offload.activations == tier) bytes.activations = activations_of_rank(planned, stage);
  return bytes;
}

std::vector<LevelUse> level_uses(const Scenario& s, const Plan& plan) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob memory = planned_job(s.transformer, s.job, s.stack, plan, layout);
  const Placement placement(plan, s.stack.rank_order, s.cluster.domain);
  std::vector<LevelUse> uses;
  for (const MemoryLevel tier : {MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme}) {
    if (!used(s, tier)) continue;
    const int together = tier == MemoryLevel::pool ? plan.accelerators() : s.cluster.node_accelerators;
    uses.push_back({tier, fullest(s, memory, placement, tier, together), capacity_of(s.cluster, tier)});
  }
  return uses;
}

std::string tier_verdict(const std::vector<LevelUse>& uses) {
  for (const LevelUse& use : uses)
    if (!use.fits()) return sentence(use);
  return {};
}

}  // namespace clusterwright
