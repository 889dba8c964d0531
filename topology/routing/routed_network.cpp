// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/routed_network.hpp"

#include <algorithm>
#include <utility>

#include "topology/fabrics/fabric.hpp"
#include "topology/routing/faults.hpp"
#include "topology/routing/routes_around_failures.hpp"

namespace clusterwright {

Routing routing_of(const FabricSpec& fabric) {
  if (fabric.routing) {
    const bool detours = *fabric.routing == Routing::valiant || *fabric.routing == Routing::adaptive;
    return detours && fabric.kind == FabricKind::fat_tree ? Routing::spray : *fabric.routing;
  }
  const bool dragonfly = fabric.kind == FabricKind::dragonfly || fabric.kind == FabricKind::dragonfly_plus;
  return dragonfly ? Routing::adaptive : Routing::spray;
}

PathPolicy path_policy(const FabricSpec& fabric) {
  return {routing_of(fabric), fabric.queue_pairs, static_cast<std::uint64_t>(fabric.routing_seed)};
}

LinkLoads link_loads(const RoutedNetwork& network, std::span<const Demand> demands) {
  return link_loads(network.graph, *network.routes, demands, network.policy, network.groups);
}

RoutedNetwork route_network(const FabricSpec& fabric, const NetworkSize& size, const FabricPorts& ports,
                            const std::vector<std::string>& faults, const PathPolicy& policy) {
  Network network = build_network(fabric, size, ports);
  std::vector<Fault> all;
  for (const auto* list : {&fabric.faults, &faults})
    for (const std::string& fault : *list) all.push_back(parse_fault(fault));
  const bool fails = std::ranges::any_of(all, [](const Fault& fault) { return fault.left == 0; });
  auto before = fails && policy.routing == Routing::hash
                    ? make_routes(network.graph, network.torus_sides, network.groups)
                    : nullptr;
  for (const Fault& fault : all) apply_fault(network.graph, fault);
  auto routes = make_routes(network.graph, network.torus_sides, network.groups);
  if (before) routes = std::make_unique<RoutesAroundFailures>(std::move(before), std::move(routes));
  return {std::move(network.graph), std::move(network.groups), std::move(network.torus_sides), std::move(routes),
          policy};
}

}  // namespace clusterwright
