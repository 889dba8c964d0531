// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/way_on.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/job_blocks.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/search/choose_plan.hpp"
#include "models/search/layout.hpp"
#include "models/settling/settle_input.hpp"

namespace clusterwright {

namespace {

bool domains_are_nodes(const Cluster& cluster) {
  return cluster.blocks.domain == cluster.node_accelerators && cluster.has_network();
}

int node_at(const Cluster& cluster, int rank) {
  return static_cast<int>(cluster.blocks.accelerator(rank).value) / cluster.node_accelerators;
}

/// Nodes with ranks of the job, in rank order.
std::vector<int> nodes_of_job(const Cluster& cluster) {
  std::vector<int> nodes;
  for (int rank = 0; rank < cluster.spec.accelerators; ++rank)
    if (const int node = node_at(cluster, rank); nodes.empty() || nodes.back() != node) nodes.push_back(node);
  return nodes;
}

bool is_lost(const LostNodes& lost, int node) {
  return lost.nodes.contains(NodeId(static_cast<std::size_t>(node)));
}

/// Nodes of the machine that could take ranks: those that nobody uses, or idle ones of the domains that lost some.
std::vector<int> spares_of(const LostNodes& lost) {
  const Cluster& cluster = lost.scenario.cluster;
  std::set<int> free;
  for (int node = 0; node < cluster.machine_nodes(); ++node)
    if (!is_lost(lost, node)) free.insert(node);
  for (const int node : nodes_of_job(cluster)) free.erase(node);
  if (domains_are_nodes(cluster)) return {free.begin(), free.end()};
  const int domain_nodes = std::max(1, cluster.blocks.domain / cluster.node_accelerators);
  std::set<int> struck;
  for (const NodeId node : lost.nodes) struck.insert(static_cast<int>(node.value) / domain_nodes);
  std::erase_if(free, [&](int node) { return !struck.contains(node / domain_nodes); });
  return {free.begin(), free.end()};
}

/// Scenario on given nodes of the machine, with the faults that came with the loss.
Scenario on_nodes(const LostNodes& lost, Scenario s, std::vector<int> nodes, int accelerators) {
  PlacementSpec placement;
  placement.machine_nodes = s.cluster.machine_nodes();
  placement.nodes = std::move(nodes);
  s.job.placement = std::move(placement);
  s.cluster.spec.fabric.faults.insert(s.cluster.spec.fabric.faults.end(), lost.faults.begin(), lost.faults.end());
  std::erase_if(s.cluster.spec.slow, [&](const SlowAcceleratorSpec& slow) {
    return is_lost(lost, slow.accelerator / s.cluster.node_accelerators);
  });
  s.cluster = cluster_of_size(s, accelerators);
  return s;
}

/// Job with a number of replicas, each with its batch.
Scenario with_replicas(const LostNodes& lost, int replicas) {
  Scenario s = lost.scenario;
  const Plan& plan = lost.plan;
  s.job.parallel.data = replicas;
  s.job.global_batch = plan.global_batch / plan.data * replicas;
  const int accelerators = plan.tensor * plan.pipeline * plan.context * replicas;
  if (!domains_are_nodes(s.cluster)) {
    s.cluster = cluster_of_size(s, accelerators);
    return s;
  }
  std::vector<int> left = nodes_of_job(s.cluster);
  std::erase_if(left, [&](int node) { return is_lost(lost, node); });
  return on_nodes(lost, std::move(s), std::move(left), accelerators);
}

/// The same job without what it asks of several sites: those that are left may be on one.
Scenario on_any_site(Scenario s) {
  s.job.parallel.across_sites.reset();
  s.job.site_reduction.reset();
  s.job.local_groups.reset();
  return s;
}

/// Sets plan, time and verdict of a way with its replicas.
void run_on(const LostNodes& lost, WayOn& way) {
  ChosenPlan chosen;
  const Scenario fewer = with_replicas(lost, way.replicas);
  try {
    chosen = choose_plan(fewer);
  } catch (const ConfigError&) {
    chosen = choose_plan(on_any_site(fewer));
  }
  way.accelerators = fewer.cluster.spec.accelerators;
  way.global_batch = chosen.plan.global_batch;
  const MemoryVerdict memory =
      judge_memory(chosen.memory, chosen.capacity, chosen.plan.pipeline, memory_residual(fewer.steps, fewer.stack));
  if (!memory.fits)
    way.reason = memory.sentence;
  else
    way.step_time = settled_time(chosen.scenario, chosen.plan);
}

}  // namespace

Scenario laid_out(const Scenario& scenario, const Plan& plan) {
  Scenario out = scenario;
  out.job = with_layout(scenario.job, layout_of(plan, scenario.job.offload));
  out.job.parallel.stage_layers = plan.stage_layers;
  return out;
}

Seconds settled_time(const Scenario& scenario, Plan plan) {
  return to_seconds(settle_input(scenario, plan).end);
}

Cluster with_faults(const Scenario& scenario, const std::vector<std::string>& faults) {
  Cluster cluster = scenario.cluster;
  std::vector<std::string>& all = cluster.spec.fabric.faults;
  all.insert(all.end(), faults.begin(), faults.end());
  return resized(cluster, cluster.spec.accelerators);
}

WayOn on_spares(const LostNodes& lost) {
  const Cluster& cluster = lost.scenario.cluster;
  WayOn way;
  way.spares = true;
  way.replicas = lost.plan.data;
  way.accelerators = cluster.spec.accelerators;
  way.global_batch = lost.plan.global_batch;
  std::vector<int> nodes = nodes_of_job(cluster);
  const std::vector<int> spares = spares_of(lost);
  way.machine_spares = static_cast<int>(spares.size());
  std::size_t taken = 0;
  for (int& node : nodes) {
    if (!is_lost(lost, node)) continue;
    if (taken < spares.size()) node = spares[taken];
    ++taken;
  }
  way.spare_nodes = static_cast<int>(taken);
  way.step_time = lost.step_time;
  if (taken <= spares.size() && domains_are_nodes(cluster))
    way.step_time = settled_time(on_nodes(lost, lost.scenario, std::move(nodes), way.accelerators), lost.plan);
  return way;
}

WayOn with_fewer_replicas(const LostNodes& lost) {
  const Cluster& cluster = lost.scenario.cluster;
  int left = 0;
  for (int rank = 0; rank < cluster.spec.accelerators; ++rank)
    if (!is_lost(lost, node_at(cluster, rank))) ++left;
  const int of_replica = lost.plan.tensor * lost.plan.pipeline * lost.plan.context;
  WayOn way;
  way.replicas = left / of_replica;
  std::string first_reason = fmt::format("one replica takes {} accelerators, {} are left", of_replica, left);
  constexpr int most_tries = 256;  // groups of experts need multiples of at most so many replicas
  for (int tries = 0; way.replicas > 0 && tries < most_tries; --way.replicas, ++tries) {
    try {
      run_on(lost, way);
      return way;
    } catch (const ConfigError& error) {
      if (tries == 0) first_reason = error.diagnostics().front().message;
    }
  }
  way.replicas = 0;
  way.reason = first_reason;
  return way;
}

}  // namespace clusterwright
