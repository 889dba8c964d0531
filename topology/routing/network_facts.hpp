// SPDX-License-Identifier: Apache-2.0
/// Counts, diameter and bisection of a network, and whether it is connected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

struct NamedCount {
  std::string name;
  std::size_t count = 0;
};

/// Switches between the two endpoints that are farthest apart, on shortest paths.
struct Diameter {
  int switches = 0;
  bool exact = true;  ///< false: a lower bound, from a sample of the switches that have endpoints
};

struct NetworkFacts {
  std::vector<NamedCount> switches;  ///< number by tier, failed ones included
  std::vector<NamedCount> cables;    ///< number by kind, failed ones included
  Diameter diameter;
  BytesPerSecond bisection;  ///< one direction
  /// Whether a NIC reaches those of other rails too. Rail planes never meet: data changes rails inside a node.
  bool rails_meet = true;
  /// Two NICs of one rail that do not reach each other: the first that is cut off from NIC 0 of its rail; none if all
  /// of each rail are joined.
  std::optional<std::pair<VertexId, VertexId>> apart;
};

/// Takes some milliseconds for a thousand switches, and a second or two for the largest fabrics.
NetworkFacts network_facts(const Network& network);

/// First pair of endpoints of one rail without a way between them.
std::optional<std::pair<VertexId, VertexId>> first_pair_apart(const NetworkGraph& graph);
/// Whether rails share a switch, directly or over others; true for a single rail.
bool rails_meet(const NetworkGraph& graph);

/// max_flow of the lower half of the nodes; of an odd number the upper half is larger. Of a torus or mesh the least
/// over halves along each even side.
BytesPerSecond network_bisection(const Network& network);

/// Diameter over working links, from all switches that have endpoints while that is affordable. In a torus or mesh
/// without failures one corner is enough.
Diameter network_diameter(const Network& network);

}  // namespace clusterwright
