// SPDX-License-Identifier: Apache-2.0
/// Network between nodes with its routes: what every command lays traffic on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/graph/network_graph.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/routes.hpp"

namespace clusterwright {

/// Network between nodes, its routes around failed links, and the policy that lays traffic on them.
struct RoutedNetwork {
  NetworkGraph graph;
  std::vector<int> groups;               ///< group of each switch; empty if the fabric has none
  std::vector<int> torus_sides;          ///< empty for other fabrics
  std::shared_ptr<const Routes> routes;  ///< shared by copies
  PathPolicy policy;
};

/// Routing of a fabric. One that states none gets a neutral one: even spread over all shortest paths, and on
/// dragonflies, where those are few, the adaptive mixture that their switches are built for. Fat trees have no detours:
/// traffic goes up and then down, or switches could wait for each other in a circle. So there adaptive and Valiant
/// routing, whose way by a random switch is that by a random root, spread evenly.
Routing routing_of(const FabricSpec& fabric);

/// Paths of a fabric as its file states them.
PathPolicy path_policy(const FabricSpec& fabric);

/// Loads of demands under the policy of the network.
/// @throws ConfigError E0320 where a pair has no path left
LinkLoads link_loads(const RoutedNetwork& network, std::span<const Demand> demands);

/// Builds the graph, applies the faults of the fabric and those given, and finds routes around them.
/// @param faults  as `parse_fault` reads them
/// @throws ConfigError E0321 for a fault that names nothing, E0501 for more cables than can be held
RoutedNetwork route_network(const FabricSpec& fabric, const NetworkSize& size, const FabricPorts& ports,
                            const std::vector<std::string>& faults, const PathPolicy& policy);

}  // namespace clusterwright
