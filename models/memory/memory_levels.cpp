// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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
  const double size = holds_master_weights(planned) ? planned.stack.memory.master_size.value : bytes_16bit;
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

bool used(const Scenario& s, MemoryLevel level) {
  const bool gradients = level == MemoryLevel::host && s.job.offload.uses(MemoryLevel::nvme);
  return s.job.offload.uses(level) || gradients || (level == MemoryLevel::host && holds_checkpoint(s));
}

/// @param kind  kind of the node; a pool is that of the cluster
std::optional<Bytes> capacity_of(const Cluster& cluster, MemoryLevel level, int kind) {
  if (level == MemoryLevel::pool) return cluster.spec.pool ? cluster.spec.pool->capacity : std::nullopt;
  const HostSpec& host = cluster.node_of_kind(kind).host;
  return level == MemoryLevel::host ? host.memory : host.nvme;
}

/// Share of the capacity that is used; 0 where it is not known.
double fullness(const LevelUse& use) {
  return use.capacity ? use.bytes.total() / *use.capacity : 0;
}

/// The place that is fullest for its capacity. @param together  accelerators whose bytes add up
LevelUse fullest(const Scenario& s, const PlannedJob& planned, const Placement& placement, MemoryLevel level,
                 int together) {
  const Plan& plan = placement.plan();
  const bool copies = level == MemoryLevel::host && holds_checkpoint(s);
  std::map<int, LevelBytes> places;
  for (int p = 0; p < plan.pipeline; ++p) {
    const LevelBytes alike = level_bytes_of_rank(planned, level, p);
    for (int d = 0; d < plan.gradient_ranks(); ++d) {
      LevelBytes rank = alike;
      if (copies) rank.checkpoint = checkpoint_of_rank(planned, p, d);
      for (int t = 0; t < plan.tensor; ++t) places[placement.node({t, d, p}, together)] += rank;
    }
  }
  std::vector<LevelUse> uses;
  for (const auto& [place, bytes] : places) {
    const AcceleratorId first(static_cast<std::size_t>(place) * static_cast<std::size_t>(together));
    const int kind = level == MemoryLevel::pool ? 0 : s.cluster.kind_of(first);
    uses.push_back({level, bytes, capacity_of(s.cluster, level, kind)});
  }
  return *std::ranges::max_element(uses, [](const LevelUse& a, const LevelUse& b) {
    return std::pair(fullness(a), a.bytes.total()) < std::pair(fullness(b), b.bytes.total());
  });
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

LevelBytes level_bytes_of_rank(const PlannedJob& planned, MemoryLevel level, int stage) {
  LevelBytes bytes;
  if (planned.offload.weights == level) bytes.weights = weights_of_rank(planned, stage);
  if (optimizer_level(planned) == level)
    bytes.optimizer =
        owned_parameters(planned, stage) * optimizer_state_size(planned, !holds_master_weights(planned)) * byte +
        outer_memory(planned, stage);
  if (level == MemoryLevel::host && updates_on_host(planned))
    bytes.gradients = owned_parameters(planned, stage) * planned.stack.reduced_size.value * byte;
  if (planned.offload.activations == level) bytes.activations = activations_of_rank(planned, stage);
  return bytes;
}

std::vector<LevelUse> level_uses(const Scenario& s, const Plan& plan) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob memory = planned_job(s.transformer, s.job, s.stack, plan, layout);
  const Placement placement(plan, s.cluster.blocks);
  std::vector<LevelUse> uses;
  for (const MemoryLevel level : {MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme}) {
    if (!used(s, level)) continue;
    const int together = level == MemoryLevel::pool ? s.cluster.blocks.installed : s.cluster.node_accelerators;
    uses.push_back(fullest(s, memory, placement, level, together));
  }
  return uses;
}

}  // namespace clusterwright
