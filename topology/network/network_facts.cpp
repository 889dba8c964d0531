// SPDX-License-Identifier: Apache-2.0
#include "topology/network/network_facts.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

#include "topology/graph/max_flow.hpp"

namespace clusterwright {

namespace {

/// Connected components over working links.
class Components {
 public:
  explicit Components(const NetworkGraph& graph)
      : rank_(graph.vertices(), 0), parent_(graph.vertices()), sets_(rank_.data(), parent_.data()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const LinkId link : graph.cable_ids())
      if (graph.works(link)) sets_.union_set(graph.from(link).value, graph.to(link).value);
  }

  bool joined(VertexId a, VertexId b) { return sets_.find_set(a.value) == sets_.find_set(b.value); }

 private:
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> parent_;  // vertex numbers
  boost::disjoint_sets<std::uint32_t*, std::uint32_t*> sets_;
};

std::optional<std::pair<VertexId, VertexId>> first_pair_apart(const NetworkGraph& graph, Components& components) {
  for (const NodeId node : graph.node_ids())
    for (int rail = 0; rail < graph.rails(); ++rail)
      if (const VertexId a = graph.endpoint(NodeId(0), rail), b = graph.endpoint(node, rail); !components.joined(a, b))
        return std::make_pair(a, b);
  return std::nullopt;
}

bool rails_meet(const NetworkGraph& graph, Components& components) {
  for (int rail = 1; rail < graph.rails(); ++rail)
    if (!components.joined(graph.endpoint(NodeId(0), 0), graph.endpoint(NodeId(0), rail))) return false;
  return true;
}

/// Halves of a torus along one axis, as the nodes that send.
std::vector<bool> lower_half(const std::vector<int>& sides, std::size_t axis, int nodes) {
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= sides[i];
  std::vector<bool> sends;
  for (int n = 0; n < nodes; ++n) sends.push_back(n / stride % sides[axis] < sides[axis] / 2);
  return sends;
}

}  // namespace

std::optional<std::pair<VertexId, VertexId>> first_pair_apart(const NetworkGraph& graph) {
  Components components(graph);
  return first_pair_apart(graph, components);
}

bool rails_meet(const NetworkGraph& graph) {
  Components components(graph);
  return rails_meet(graph, components);
}

BytesPerSecond network_bisection(const Network& network) {
  const NetworkGraph& graph = network.graph;
  std::vector<bool> lower(static_cast<std::size_t>(graph.nodes()), false);
  std::fill_n(lower.begin(), graph.nodes() / 2, true);
  BytesPerSecond least = max_flow(graph, lower);
  for (std::size_t axis = 0; axis < network.torus_sides.size(); ++axis)
    if (network.torus_sides[axis] % 2 == 0)
      least = std::min(least, max_flow(graph, lower_half(network.torus_sides, axis, graph.nodes())));
  return least;
}

NetworkFacts network_facts(const Network& network) {
  const NetworkGraph& graph = network.graph;
  NetworkFacts facts;
  for (const SwitchTier& tier : graph.tiers()) facts.switches.push_back({tier.name, tier.count});
  const std::vector<std::size_t> cables = graph.cables_by_kind();
  for (std::size_t kind = 0; kind < cables.size(); ++kind)
    facts.cables.push_back({graph.link_kinds()[kind].name, cables[kind]});
  facts.diameter = network_diameter(network);
  facts.bisection = network_bisection(network);
  Components components(graph);
  facts.rails_meet = rails_meet(graph, components);
  facts.apart = first_pair_apart(graph, components);
  return facts;
}

}  // namespace clusterwright
