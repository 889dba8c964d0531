// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/cut_off_nodes.hpp"

#include <set>

namespace clusterwright {

namespace {

/// Nodes that reach each other over NIC `nic`: the largest set, and of equal ones the first.
std::vector<NodeId> largest_part(const RoutedNetwork& network, int nic) {
  const NetworkGraph& graph = network.graph;
  std::vector<NodeId> rest, largest;
  for (const NodeId node : graph.node_ids()) rest.push_back(node);
  while (rest.size() > largest.size()) {
    const VertexId first = graph.working_endpoint(rest.front(), nic);
    std::vector<NodeId> part{rest.front()}, others;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      const bool joined = network.routes->reaches(first, graph.working_endpoint(rest[i], nic));
      (joined ? part : others).push_back(rest[i]);
    }
    if (part.size() > largest.size()) largest = std::move(part);
    rest = std::move(others);
  }
  return largest;
}

}  // namespace

std::vector<NodeId> cut_off_nodes(const RoutedNetwork& network) {
  const NetworkGraph& graph = network.graph;
  std::set<NodeId> cut;
  for (int nic = 0; nic < graph.rails(); ++nic) {
    std::set<NodeId> apart(graph.node_ids().begin(), graph.node_ids().end());
    for (const NodeId node : largest_part(network, nic)) apart.erase(node);
    cut.insert(apart.begin(), apart.end());
  }
  return {cut.begin(), cut.end()};
}

}  // namespace clusterwright
