// SPDX-License-Identifier: Apache-2.0
#include "models/memory/kind_memory.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "models/plan/placement.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

namespace {

/// Kinds of nodes and the stages that have ranks on them.
std::set<std::pair<int, int>> stages_on_kinds(const Cluster& cluster, const Plan& plan) {
  const Placement placement(plan, cluster.blocks);
  std::set<std::pair<int, int>> pairs;
  for (int p = 0; p < plan.pipeline; ++p)
    for (int d = 0; d < plan.gradient_ranks(); ++d)
      for (int t = 0; t < plan.tensor; ++t) pairs.insert({cluster.kind_of(placement.accelerator({t, d, p})), p});
  return pairs;
}

}  // namespace

std::vector<KindMemory> memory_by_kind(const Scenario& s, const Plan& plan) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
  if (s.cluster.kinds() == 1) return {{0, worst_memory(planned), memory_capacity(s.cluster.accelerator)}};
  std::vector<KindMemory> out;
  for (int kind = 0; kind < s.cluster.kinds(); ++kind)
    out.push_back({kind, {}, memory_capacity(s.cluster.groups[s.cluster.group_of_kind(kind)].accelerator)});
  for (const auto& [kind, stage] : stages_on_kinds(s.cluster, plan)) {
    KindMemory& memory = out[static_cast<std::size_t>(kind)];
    if (const MemoryUse use = memory_of_stage(planned, stage); use.total() > memory.use.total()) memory.use = use;
  }
  return out;
}

KindMemory fullest_memory(const Scenario& s, const Plan& plan) {
  const std::vector<KindMemory> all = memory_by_kind(s, plan);
  return *std::ranges::max_element(all, {}, &KindMemory::fullness);
}

}  // namespace clusterwright
