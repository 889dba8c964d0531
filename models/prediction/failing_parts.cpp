// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/failing_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/lowering/lowered_step.hpp"
#include "models/lowering/step_traffic.hpp"
#include "topology/routing/fault_names.hpp"

namespace clusterwright {

namespace {

/// The busiest of several parts, the first of those that differ by rounding only.
struct Busiest {
  std::string name;
  double bytes = 0;

  void offer(double offered, const auto& namer) {
    constexpr double rounding = 1e-9;
    if (offered <= bytes * (1 + rounding)) return;
    bytes = offered;
    name = namer();
  }
};

/// NIC of a rank, and the switches that it is cabled to.
struct Neighbours {
  VertexId nic;
  std::set<VertexId> switches;

  bool has(VertexId v) const { return v == nic || switches.contains(v); }
};

Neighbours neighbours_of(const Cluster& cluster, const NetworkGraph& graph, int rank) {
  const int accelerator = static_cast<int>(cluster.blocks.accelerator(rank).value), of_node = cluster.node_accelerators;
  Neighbours out;
  out.nic = graph.working_endpoint(NodeId(static_cast<std::size_t>(accelerator / of_node)),
                                   cluster.links.nic_of(accelerator % of_node));
  for (const LinkId link : graph.leaving(out.nic))
    if (graph.works(link)) out.switches.insert(graph.to(link));
  return out;
}

/// The busiest parts of one kind: of all, and of those near the first and the last rank.
class BusiestParts {
 public:
  explicit BusiestParts(const std::vector<Neighbours>& ends) : ends_(ends), near_(ends.size()) {}

  void offer(double bytes, const auto& is_near, const auto& namer) {
    all_.offer(bytes, namer);
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (is_near(ends_[i])) near_[i].offer(bytes, namer);
  }

  /// Names, each once.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Busiest& near : near_)
      if (near.bytes > 0 && std::ranges::find(out, near.name) == out.end()) out.push_back(near.name);
    if (all_.bytes > 0 && std::ranges::find(out, all_.name) == out.end()) out.push_back(all_.name);
    return out;
  }

 private:
  const std::vector<Neighbours>& ends_;
  Busiest all_;
  std::vector<Busiest> near_;
};

LinkLoads bytes_of_step(const Scenario& scenario, const Plan& plan, const NetworkGraph& graph) {
  const LoweredStep lowered(scenario, plan, Folding::folded);
  const StepTraffic traffic(scenario, lowered);
  LinkLoads total(graph.links(), 0.0);
  for (const auto& [stream, loads] : traffic.bytes(lowered.structure(), lowered.timing()))
    for (const LinkId link : graph.link_ids()) total[link] += loads[link];
  return total;
}

/// Parts of the network of a cluster by the bytes that pass them.
class NetworkParts {
 public:
  /// @param ends  neighbours of the first and the last rank
  NetworkParts(const NetworkGraph& graph, LinkLoads bytes, std::vector<Neighbours> ends)
      : graph_(graph), bytes_(std::move(bytes)), ends_(std::move(ends)) {}

  std::vector<FailingPart> parts() && {
    add_cables();
    add_vertices("NIC", graph_.endpoint_ids());
    for (const SwitchTier& tier : graph_.tiers()) add_vertices(tier.name + " switch", tier.switches());
    if (graph_.rails() > 1) add_rail();
    return std::move(parts_);
  }

 private:
  double of_cable(LinkId link) const { return bytes_[link] + bytes_[opposite(link)]; }
  double of_vertex(VertexId v) const {
    double sum = 0;
    for (const LinkId link : graph_.leaving(v)) sum += of_cable(link);
    return sum;
  }

  void add(std::string kind, const BusiestParts& busiest) {
    std::vector<std::string> names = busiest.names();
    if (!names.empty()) parts_.push_back({std::move(kind), std::move(names)});
  }

  void add_cables() {
    std::vector<BusiestParts> kinds(graph_.link_kinds().size(), BusiestParts(ends_));
    for (const LinkId link : graph_.cable_ids()) {
      const VertexId a = graph_.from(link), b = graph_.to(link);
      if (graph_.is_endpoint(a) || graph_.is_endpoint(b)) continue;
      kinds[graph_.kind(link)].offer(
          of_cable(link), [&](const Neighbours& end) { return end.has(a) || end.has(b); },
          [&] { return fault_name(graph_, link); });
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) add(graph_.link_kinds()[i].name + " cable", kinds[i]);
  }

  void add_vertices(std::string kind, const auto& vertices) {
    BusiestParts busiest(ends_);
    for (const VertexId v : vertices)
      busiest.offer(
          of_vertex(v), [&](const Neighbours& end) { return end.has(v); }, [&] { return fault_name(graph_, v); });
    add(std::move(kind), busiest);
  }

  void add_rail() {
    BusiestParts busiest(ends_);
    for (int rail = 0; rail < graph_.rails(); ++rail) {
      double sum = 0;
      for (const NodeId node : graph_.node_ids()) sum += of_vertex(graph_.endpoint(node, rail));
      busiest.offer(
          sum, [&](const Neighbours& end) { return graph_.rail_of(end.nic) == rail; },
          [&] { return fmt::format("rail:{}", rail); });
    }
    add("rail", busiest);
  }

  const NetworkGraph& graph_;
  LinkLoads bytes_;
  std::vector<Neighbours> ends_;
  std::vector<FailingPart> parts_;
};

}  // namespace

std::vector<FailingPart> failing_parts(const Scenario& scenario, const Plan& plan) {
  const Cluster& cluster = scenario.cluster;
  std::vector<FailingPart> parts;
  if (cluster.has_network()) {
    const NetworkGraph& graph = cluster.network().graph;
    std::vector<Neighbours> ends{neighbours_of(cluster, graph, 0),
                                 neighbours_of(cluster, graph, cluster.spec.accelerators - 1)};
    parts = NetworkParts(graph, bytes_of_step(scenario, plan, graph), std::move(ends)).parts();
  }
  // Ranks of one stage do the same work, and a step waits for all of them: the first ones stand for all.
  const auto first = cluster.blocks.accelerator(0).value;
  parts.push_back({"accelerator", {fmt::format("gpu:{}", first)}});
  parts.push_back({"node", {fmt::format("node:{}", static_cast<int>(first) / cluster.node_accelerators)}});
  return parts;
}

}  // namespace clusterwright
