// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/struck_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "topology/routing/fault_names.hpp"
#include "topology/routing/faults.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

/// Level of a vertex: 0 for NICs, then the tiers of switches from the lowest on.
std::size_t level_in(const NetworkGraph& graph, VertexId v) {
  if (graph.is_endpoint(v)) return 0;
  std::size_t level = 0;
  for (const SwitchTier& tier : graph.tiers()) {
    ++level;
    if (v >= tier.first && v - tier.first < static_cast<int>(tier.count)) return level;
  }
  return level;
}

/// NICs that lead up to one of the given vertices over working links.
std::set<VertexId> endpoints_below(const NetworkGraph& graph, std::vector<VertexId> from) {
  std::set<VertexId> seen(from.begin(), from.end()), endpoints;
  while (!from.empty()) {
    const VertexId at = from.back();
    from.pop_back();
    if (graph.is_endpoint(at)) endpoints.insert(at);
    for (const LinkId link : graph.leaving(at)) {
      const VertexId to = graph.to(link);
      if (graph.works(link) && level_in(graph, to) < level_in(graph, at) && seen.insert(to).second) from.push_back(to);
    }
  }
  return endpoints;
}

/// Directions of cables that work in `healthy` and are slower or dead in `struck`.
std::vector<LinkId> struck_links(const NetworkGraph& healthy, const NetworkGraph& struck) {
  std::vector<LinkId> links;
  for (const LinkId link : healthy.cable_ids())
    if (struck.capacity(link) < healthy.capacity(link)) links.push_back(link);
  return links;
}

std::vector<VertexId> lower_ends(const NetworkGraph& graph, const std::vector<LinkId>& links) {
  std::set<VertexId> ends;
  for (const LinkId link : links) {
    const VertexId a = graph.from(link), b = graph.to(link);
    const std::size_t of_a = level_in(graph, a), of_b = level_in(graph, b);
    if (of_a <= of_b) ends.insert(a);
    if (of_b <= of_a) ends.insert(b);
  }
  return {ends.begin(), ends.end()};
}

/// Ranks of the job with one of the given NICs.
int ranks_on(const Cluster& cluster, const NetworkGraph& graph, const std::set<VertexId>& nics) {
  std::vector<int> first(static_cast<std::size_t>(cluster.node_accelerators));
  for (int i = 0; i < cluster.node_accelerators; ++i) first[static_cast<std::size_t>(i)] = cluster.links.nic_of(i);
  int ranks = 0;
  for (int rank = 0; rank < cluster.spec.accelerators; ++rank) {
    const int accelerator = static_cast<int>(cluster.blocks.accelerator(rank).value);
    const NodeId node(static_cast<std::size_t>(accelerator / cluster.node_accelerators));
    const int own = first[static_cast<std::size_t>(accelerator % cluster.node_accelerators)];
    int next = cluster.nics;
    for (const int other : first)
      if (other > own) next = std::min(next, other);
    for (int nic = own; nic < next; ++nic)
      if (nics.contains(graph.endpoint(node, nic))) {
        ++ranks;
        break;
      }
  }
  return ranks;
}

/// Other working switches of the tier of `part` that one of its lower neighbours has cables to.
int others_of_tier(const NetworkGraph& graph, VertexId part, const NetworkGraph& struck) {
  std::set<VertexId> others;
  for (const LinkId down : graph.leaving(part)) {
    const VertexId below = graph.to(down);
    if (!graph.works(down) || level_in(graph, below) >= level_in(graph, part)) continue;
    for (const LinkId up : graph.leaving(below))
      if (struck.works(up) && graph.to(up) != part && level_in(graph, graph.to(up)) == level_in(graph, part))
        others.insert(graph.to(up));
    break;
  }
  return static_cast<int>(others.size());
}

/// The switch that is the whole of a fault; none for other faults.
VertexId failed_switch(const NetworkGraph& graph, const std::vector<std::string>& faults) {
  if (faults.size() != 1) return {};
  const Fault fault = parse_fault(faults.front());
  if (fault.other || fault.left > 0) return {};
  for (const SwitchTier& tier : graph.tiers())
    if (tier.name == fault.part.tier) return tier.first + fault.part.number;
  return {};
}

std::string way_around(const NetworkGraph& graph, const NetworkGraph& struck, const std::vector<std::string>& faults,
                       const std::vector<LinkId>& links) {
  if (links.empty()) return "no cable is slower";
  if (struck.works(links.front())) return "traffic goes on at the lower rate";
  if (const VertexId part = failed_switch(graph, faults); part.exists())
    if (const int others = others_of_tier(graph, part, struck); others > 0) {
      const std::string name = fault_name(graph, part);
      return fmt::format("traffic takes the other {} {} {}", others, name.substr(0, name.find(':')),
                         others == 1 ? "switch" : "switches");
    }
  if (links.size() > 1) return "traffic takes other paths";
  const VertexId end = lower_ends(graph, links).front();
  std::size_t others = 0;
  for (const LinkId link : graph.leaving(end))
    if (struck.works(link) && graph.kind(link) == graph.kind(links.front())) ++others;
  if (others == 0) return "traffic takes other paths";
  return fmt::format("traffic takes the other {} cables of {}", others, graph.name(end));
}

/// NICs whose accelerators take another one.
std::set<VertexId> replaced_nics(const NetworkGraph& healthy, const NetworkGraph& struck) {
  std::set<VertexId> nics;
  for (const VertexId nic : healthy.endpoint_ids()) {
    const NodeId node = healthy.node_of(nic);
    const int rail = healthy.rail_of(nic);
    if (struck.working_endpoint(node, rail) != healthy.working_endpoint(node, rail)) nics.insert(nic);
  }
  return nics;
}

}  // namespace

StruckRanks struck_ranks(const Cluster& healthy, const Cluster& struck, const std::vector<std::string>& faults) {
  const NetworkGraph& before = healthy.network().graph;
  const NetworkGraph& after = struck.network().graph;
  StruckRanks out;
  if (const std::set<VertexId> nics = replaced_nics(before, after); !nics.empty()) {
    out.count = ranks_on(healthy, before, nics);
    out.consequence = out.count == 1 ? "1 GPU takes the next NIC of its node"
                                     : fmt::format("{} GPUs take the next NIC of their nodes", out.count);
    return out;
  }
  const std::vector<LinkId> links = struck_links(before, after);
  out.count = ranks_on(healthy, before, endpoints_below(before, lower_ends(before, links)));
  out.consequence = way_around(before, after, faults, links);
  return out;
}

std::string group_remark(const NetworkGraph& graph, const std::vector<std::string>& faults) {
  const VertexId part = failed_switch(graph, faults);
  if (!part.exists()) return {};
  for (const SwitchTier& tier : graph.tiers()) {
    const bool holds = part >= tier.first && part - tier.first < static_cast<int>(tier.count);
    if (holds && (tier.ports > 0 || tier.name == "site")) return {};
  }
  return fmt::format(" ({} stands for all switches of its group)", fault_name(graph, part));
}

int ranks_of_node(const Cluster& cluster, NodeId node) {
  int ranks = 0;
  for (int i = 0; i < cluster.node_accelerators; ++i)
    if (cluster.blocks.rank(static_cast<int>(node.value) * cluster.node_accelerators + i)) ++ranks;
  return ranks;
}

}  // namespace clusterwright
