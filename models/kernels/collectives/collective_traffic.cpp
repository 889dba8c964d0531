// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/kernels/collectives/algorithm_traffic.hpp"
#include "models/kernels/collectives/exchange_traffic.hpp"
#include "sim/diagnostic.hpp"
#include "topology/routing/link_loads.hpp"

namespace clusterwright {

namespace {

std::vector<TrafficStage> stages_of(const TrafficBuilder& builder) {
  if (builder.op() == CollectiveOp::send) return send_traffic(builder);
  switch (builder.algorithm()) {
    case Algorithm::ring:
      return ring_traffic(builder);
    case Algorithm::tree:
    case Algorithm::nvls_tree:
      return tree_traffic(builder);
    case Algorithm::nvls:
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return switch_reduction_traffic(builder);
    case Algorithm::pat:
      return pat_traffic(builder);
    case Algorithm::halving_doubling:
      return halving_doubling_traffic(builder);
    case Algorithm::torus:
      return torus_traffic(builder);
    case Algorithm::direct:
      return direct_traffic(builder);
    case Algorithm::rail_aligned:
    case Algorithm::hierarchical:
      return rail_traffic(builder);
  }
  return {};
}

}  // namespace

std::vector<TrafficStage> collective_traffic(CollectiveOp op, Algorithm algorithm, const Communicator& group,
                                             const TrafficContext& context) {
  const TrafficBuilder builder(op, algorithm, group, context);
  if (builder.domains().size() < 2) return {};
  std::vector<TrafficStage> stages = stages_of(builder);
  for (TrafficStage& stage : stages) gather(stage.demands);
  return stages;
}

namespace {

void add(LinkLoads& total, const LinkLoads& more) {
  for (const LinkId link : total.ids()) total[link] += more[link];
}

/// Shortest path. @throws ConfigError E0320 if there is none
std::vector<LinkId> one_path(VertexId from, VertexId to, const NetworkGraph& graph, const Routes& routes) {
  std::vector<LinkId> path, next;
  for (VertexId at = from; at != to; at = graph.to(path.back())) {
    next.clear();
    routes.next_links(at, to, next);
    if (next.empty())
      throw ConfigError({Diagnostic{"E0320",
                                    fmt::format("no path from {} to {}", graph.name(from), graph.name(to)),
                                    {},
                                    {},
                                    "the failed parts leave no path; see clusterwright show --topology"}});
    path.push_back(next.front());
  }
  return path;
}

/// Switches add up what comes from below: each link of the tree to the root carries the bytes once, up and down.
void add_reduction(const TrafficStage::Reduction& reduction, const NetworkGraph& graph, const Routes& routes,
                   LinkLoads& loads) {
  std::vector<bool> used(graph.links(), false);  // by link
  const VertexId root = reduction.members.front();
  for (const VertexId member : reduction.members) {
    if (member == root) continue;
    for (const LinkId link : one_path(member, root, graph, routes)) used[link.value] = true;
  }
  for (const LinkId link : graph.link_ids()) {
    if (!used[link.value] || graph.to(link) == root) continue;
    loads[link] += reduction.bytes;
    loads[opposite(link)] += reduction.bytes;
  }
  const auto own = graph.leaving(root);
  for (const LinkId link : own) {
    loads[link] += reduction.bytes / static_cast<double>(own.size());
    loads[opposite(link)] += reduction.bytes / static_cast<double>(own.size());
  }
}

}  // namespace

std::vector<LinkLoads> stage_loads(CollectiveOp op, Algorithm algorithm, const std::vector<Communicator>& groups,
                                   const TrafficContext& context, const Routes& routes, const PathPolicy& policy,
                                   std::span<const int> switch_groups) {
  std::vector<TrafficStage> together;  // stages of all groups, their demands joined
  for (const Communicator& group : groups) {
    std::vector<TrafficStage> own = collective_traffic(op, algorithm, group, context);
    together.resize(std::max(together.size(), own.size()));
    for (std::size_t s = 0; s < own.size(); ++s) {
      auto& stage = together[s];
      stage.demands.insert(stage.demands.end(), own[s].demands.begin(), own[s].demands.end());
      std::move(own[s].exchanges.begin(), own[s].exchanges.end(), std::back_inserter(stage.exchanges));
      std::move(own[s].reductions.begin(), own[s].reductions.end(), std::back_inserter(stage.reductions));
    }
  }
  std::vector<LinkLoads> out;
  for (const TrafficStage& stage : together) {
    LinkLoads loads = link_loads(context.graph, routes, stage.demands, policy, switch_groups);
    for (const auto& exchange : stage.exchanges)
      add(loads, exchange_loads(context.graph, routes, exchange.members, exchange.bytes, policy, switch_groups));
    for (const auto& reduction : stage.reductions) add_reduction(reduction, context.graph, routes, loads);
    out.push_back(std::move(loads));
  }
  return out;
}

StepLatency step_latency(const Communicator& group, const TrafficContext& context, const Routes& routes) {
  const NetworkGraph& graph = context.graph;
  const std::vector<DomainShare> domains = by_domain(group, context.cluster);
  const auto place = [&](std::size_t d) { return place_of(domains[d].members.front(), context.cluster); };
  return step_latency(domains.size(), [&](std::size_t a, std::size_t b) {
    const AcceleratorPlace from = place(a), to = place(b);
    // Both ends on one rail: planes join no others.
    const int rail = context.cluster.group_of_node(from.node).links.nic_of(from.position);
    if (from.node == to.node) return Seconds{};
    return graph.latency(
        one_path(graph.working_endpoint(from.node, rail), graph.working_endpoint(to.node, rail), graph, routes));
  });
}

}  // namespace clusterwright
