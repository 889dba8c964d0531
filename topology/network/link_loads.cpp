// SPDX-License-Identifier: Apache-2.0
#include "topology/network/link_loads.hpp"

#include <algorithm>
#include <stdexcept>

#include "topology/network/attachments.hpp"
#include "topology/network/path_walk.hpp"
#include "topology/network/spray_flow.hpp"
#include "topology/network/stations.hpp"
#include "topology/network/valiant.hpp"
#include "topology/network/valiant_mixture.hpp"

namespace clusterwright {

namespace {

void check(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands, const PathPolicy& policy) {
  if (policy.queue_pairs < 1) throw std::invalid_argument("a demand needs a queue pair");
  for (const Demand& demand : demands)
    if (!routes.reaches(demand.from, demand.to)) throw_no_path(graph, demand.from, demand.to);
}

LinkLoads hashed_loads(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands,
                       const PathPolicy& policy) {
  LinkLoads loads(graph.links(), 0.0);
  std::vector<LinkId> path;
  for (const Demand& demand : demands) {
    for (int pair = 0; pair < policy.queue_pairs; ++pair) {
      walk_path(graph, routes, {demand.from, demand.to, static_cast<std::uint32_t>(pair), policy.seed}, path);
      for (const LinkId link : path) loads[link] += demand.bytes / policy.queue_pairs;
    }
  }
  return loads;
}

/// Loads on the cables of endpoints whose station is a switch.
void add_cable_loads(const Attachments& attachments, const Stations& stations, std::span<const Demand> demands,
                     LinkLoads& loads) {
  const auto shared = [&](VertexId endpoint) { return stations[stations.of(endpoint)].last_links == 1; };
  for (const Demand& demand : demands) {
    if (demand.from == demand.to) continue;
    const auto up = attachments.cables(demand.from);
    const auto down = attachments.cables(demand.to);
    if (shared(demand.from))
      for (const auto& cable : up) loads[cable.up] += demand.bytes / static_cast<double>(up.size());
    if (shared(demand.to))
      for (const auto& cable : down) loads[opposite(cable.up)] += demand.bytes / static_cast<double>(down.size());
  }
}

std::vector<StationFlow> station_flows(const Stations& stations, std::span<const Demand> demands) {
  std::vector<StationFlow> flows;
  for (const Demand& demand : demands)
    if (demand.from != demand.to) flows.push_back({stations.of(demand.from), stations.of(demand.to), demand.bytes});
  gather(flows);
  return flows;
}

}  // namespace

LinkLoads link_loads(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands,
                     const PathPolicy& policy, std::span<const int> groups) {
  check(graph, routes, demands, policy);
  if (policy.routing == Routing::hash) return hashed_loads(graph, routes, demands, policy);
  const Stations stations(graph);
  const std::vector<StationFlow> flows = station_flows(stations, demands);
  LinkLoads cables(graph.links(), 0.0);
  add_cable_loads(Attachments(graph), stations, demands, cables);
  const auto sprayed = [&] {
    LinkLoads loads = cables;
    SprayFlow flow(graph, routes, loads);
    spray(stations, flows, flow);
    return loads;
  };
  if (policy.routing == Routing::spray) return sprayed();
  LinkLoads diverted = cables;
  SprayFlow flow(graph, routes, diverted);
  divert(Detours(graph, stations, groups), stations, flows, flow);
  return policy.routing == Routing::valiant ? diverted : least_busy_mixture(graph, sprayed(), diverted);
}

std::vector<BusiestLink> busiest_links(const NetworkGraph& graph, const LinkLoads& loads, std::size_t top) {
  std::vector<BusiestLink> busiest;
  for (const LinkId link : loads.ids())
    if (loads[link] > 0) busiest.push_back({link, loads[link], loads[link] / graph.capacity(link).in(byte_per_second)});
  const auto kept = busiest.begin() + static_cast<std::ptrdiff_t>(std::min(top, busiest.size()));
  std::partial_sort(busiest.begin(), kept, busiest.end(), [](const BusiestLink& a, const BusiestLink& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.link < b.link;
  });
  busiest.erase(kept, busiest.end());
  return busiest;
}

}  // namespace clusterwright
