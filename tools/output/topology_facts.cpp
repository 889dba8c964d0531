// SPDX-License-Identifier: Apache-2.0
#include "tools/output/topology_facts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <utility>

#include "topology/fabrics/fabric.hpp"

namespace clusterwright {

namespace {

struct Farthest {
  VertexId endpoint;
  Seconds latency;
};

/// Dijkstra from one endpoint; others pass nothing on.
Farthest farthest_from(const NetworkGraph& graph, VertexId source) {
  using Arrival = std::pair<Seconds, VertexId>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> waiting;
  IndexedVector<VertexId, std::optional<Seconds>> known(graph.vertices());
  Farthest farthest{source, {}};
  waiting.push({{}, source});
  while (!waiting.empty()) {
    const auto [latency, v] = waiting.top();
    waiting.pop();
    if (known[v]) continue;
    known[v] = latency;
    const bool is_end = graph.is_endpoint(v);
    if (is_end && latency > farthest.latency) farthest = {v, latency};
    if (is_end && v != source) continue;
    for (const LinkId link : graph.leaving(v))
      if (graph.works(link) && !known[graph.to(link)])
        waiting.push({latency + graph.latency(std::span(&link, 1)), graph.to(link)});
  }
  return farthest;
}

Seconds farthest_latency(const NetworkGraph& graph, const Diameter& diameter) {
  const auto& kinds = graph.link_kinds();
  const auto works = [&](LinkId link) { return graph.works(link); };
  const bool all_short =
      std::all_of(kinds.begin(), kinds.end(), [](const LinkKind& kind) { return kind.extra_latency == Seconds{}; });
  if (all_short) return diameter.switches * graph.hop_latency();
  std::vector<VertexId> working;
  for (const VertexId v : graph.endpoint_ids())
    if (const auto links = graph.leaving(v); std::any_of(links.begin(), links.end(), works)) working.push_back(v);
  if (working.empty()) return {};
  Seconds most;
  for (const VertexId start : {working.front(), working.back()}) {
    const Farthest first = farthest_from(graph, start);
    most = std::max({most, first.latency, farthest_from(graph, first.endpoint).latency});
  }
  return most;
}

std::vector<TopologyFacts::Switches> count_switches(const NetworkGraph& graph) {
  std::vector<TopologyFacts::Switches> rows;
  for (const SwitchTier& tier : graph.tiers()) {
    std::size_t used = 0;
    for (const VertexId v : tier.switches()) used = std::max(used, graph.leaving(v).size());
    rows.push_back({tier.name, tier.count, used, tier.ports});
  }
  return rows;
}

std::vector<TopologyFacts::Cables> count_cables(const NetworkGraph& graph) {
  std::map<std::pair<std::size_t, BytesPerSecond>, std::size_t> counts;
  for (const LinkId link : graph.cable_ids())
    if (graph.works(link)) ++counts[{graph.kind(link), graph.capacity(link)}];
  std::vector<TopologyFacts::Cables> rows;
  for (const auto& [cable, count] : counts) rows.push_back({graph.link_kinds()[cable.first].name, count, cable.second});
  return rows;
}

/// Connected parts of the network over working links, numbered, by endpoint.
class Parts {
 public:
  explicit Parts(const NetworkGraph& graph) : graph_(graph), part_(graph.vertices(), unknown) {
    for (const VertexId v : graph.vertex_ids())
      if (part_[v] == unknown) fill(v, count_++);
  }
  std::uint32_t of(VertexId v) const { return part_[v]; }

  /// The part that most endpoints of the rail are in.
  std::uint32_t main(int rail) const {
    std::vector<int> members(count_, 0);
    for (const NodeId node : graph_.node_ids()) ++members[of(graph_.endpoint(node, rail))];
    return static_cast<std::uint32_t>(std::max_element(members.begin(), members.end()) - members.begin());
  }

 private:
  static constexpr std::uint32_t unknown = ~0u;

  void fill(VertexId first, std::uint32_t number) {
    std::vector<VertexId> waiting{first};
    part_[first] = number;
    while (!waiting.empty()) {
      const VertexId v = waiting.back();
      waiting.pop_back();
      for (const LinkId link : graph_.leaving(v)) {
        const VertexId next = graph_.to(link);
        if (!graph_.works(link) || part_[next] != unknown) continue;
        part_[next] = number;
        waiting.push_back(next);
      }
    }
  }

  const NetworkGraph& graph_;
  IndexedVector<VertexId, std::uint32_t> part_;
  std::uint32_t count_ = 0;
};

std::vector<TopologyFacts::Nic> nics_cut_off(const NetworkGraph& graph) {
  const Parts parts(graph);
  std::vector<std::uint32_t> main;
  for (int rail = 0; rail < graph.rails(); ++rail) main.push_back(parts.main(rail));
  std::vector<TopologyFacts::Nic> nics;
  for (const VertexId v : graph.endpoint_ids())
    if (parts.of(v) != main[static_cast<std::size_t>(graph.rail_of(v))])
      nics.push_back({graph.node_of(v) - NodeId(0), graph.rail_of(v)});
  return nics;
}

/// File servers have the last places.
BytesPerSecond sent_by_lower_half(const Cluster& cluster) {
  const int half = (cluster.nodes() + cluster.file_servers()) / 2;
  BytesPerSecond sum = std::max(0, half - cluster.nodes()) * cluster.nics * cluster.nic_bandwidth;
  for (const NodeGroup& group : cluster.groups)
    sum += std::clamp(NodeId(half) - group.first_node, 0, group.nodes) * group.nics * group.nic_bandwidth;
  return sum;
}

void add_bisection(TopologyFacts& facts, const Cluster& cluster, const Network& network) {
  const NetworkGraph& graph = network.graph;
  const std::size_t cuts = 1 + network.torus_sides.size();
  const bool affordable = (graph.cables() - graph.endpoints()) * cuts <= most_flow_cables;
  facts.bisection_by = affordable ? BisectionBy::max_flow : BisectionBy::tiers;
  facts.bisection = affordable ? network_bisection(network)
                               : cluster.fabric.bisection(cluster.spec.accelerators, cluster.network_per_accelerator());
  facts.bisection_share = facts.bisection / sent_by_lower_half(cluster);
}

/// The graph is built with the NICs of the first group.
void set_own_nic_rates(NetworkGraph& graph, const Cluster& cluster) {
  for (const NodeGroup& group : cluster.groups) {
    if (group.nic_bandwidth == cluster.nic_bandwidth) continue;
    for (const NodeId node : group.node_ids())
      for (int rail = 0; rail < graph.rails(); ++rail)
        for (const LinkId link : graph.leaving(graph.endpoint(node, rail)))
          graph.slow_link(link, group.nic_bandwidth / cluster.nic_bandwidth);
  }
}

}  // namespace

std::optional<Network> network_of(const Cluster& cluster) {
  if (!cluster.has_network()) return std::nullopt;
  Network network = build_network(cluster.spec.fabric, cluster.network_size(), cluster.ports);
  set_own_nic_rates(network.graph, cluster);
  return network;
}

TopologyFacts topology_facts(const Cluster& cluster, const Network& network) {
  TopologyFacts facts;
  facts.switches = count_switches(network.graph);
  facts.cables = count_cables(network.graph);
  facts.diameter = network_diameter(network);
  facts.farthest = farthest_latency(network.graph, facts.diameter);
  add_bisection(facts, cluster, network);
  facts.cut_off = nics_cut_off(network.graph);
  return facts;
}

}  // namespace clusterwright
