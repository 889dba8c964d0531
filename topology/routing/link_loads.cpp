// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/link_loads.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "topology/routing/attachments.hpp"
#include "topology/routing/hashed_paths.hpp"
#include "topology/routing/path_walk.hpp"
#include "topology/routing/spray_flow.hpp"
#include "topology/routing/sprayed_exchange.hpp"
#include "topology/routing/stations.hpp"
#include "topology/routing/valiant.hpp"

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
  HashedPaths(graph, routes, policy.queue_pairs, policy.seed).lay(demands, [&](LinkId link, double bytes) {
    loads[link] += bytes;
  });
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

namespace {

void check(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members) {
  std::map<int, VertexId> first_of_rail;
  for (const VertexId member : members) {
    const VertexId first = first_of_rail.try_emplace(graph.rail_of(member), member).first->second;
    if (!routes.reaches(first, member)) throw_no_path(graph, first, member);
  }
}

bool few_enough_to_hash(std::size_t members, const PathPolicy& policy) {
  return members * members <= most_hashed_paths / static_cast<std::size_t>(std::max(policy.queue_pairs, 1));
}

std::vector<Demand> all_pairs(const Routes& routes, std::span<const VertexId> members, double bytes) {
  std::vector<Demand> demands;
  for (const VertexId from : members)
    for (const VertexId to : members)
      if (from != to && routes.reaches(from, to)) demands.push_back({from, to, bytes});
  return demands;
}

/// Members of an exchange by station.
class Exchange {
 public:
  Exchange(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members, double bytes,
           std::span<const int> groups)
      : graph_(graph),
        routes_(routes),
        bytes_(bytes),
        groups_(groups),
        stations_(graph),
        count_(stations_.size(), 0.0) {
    for (const VertexId member : members)
      if (stations_.of(member).exists()) ++count_[stations_.of(member)];
    add_cable_loads(members);
  }

  LinkLoads sprayed() const {
    return sprayed_where([](StationId) { return true; });
  }
  LinkLoads diverted() const;

 private:
  template <typename Predicate>
  LinkLoads sprayed_where(Predicate takes_part) const;
  void add_cable_loads(std::span<const VertexId> members);

  const NetworkGraph& graph_;
  const Routes& routes_;
  double bytes_;
  std::span<const int> groups_;
  Stations stations_;
  IndexedVector<StationId, double> count_;
  LinkLoads cables_;  // loads on the cables of endpoints whose station is a switch
};

template <typename Predicate>
LinkLoads Exchange::sprayed_where(Predicate takes_part) const {
  std::vector<StationId> taking_part;
  for (const StationId s : stations_.ids())
    if (count_[s] > 0 && takes_part(s)) taking_part.push_back(s);
  LinkLoads loads = cables_;
  SprayFlow flow(graph_, routes_, loads);
  SprayedExchange(stations_, count_, bytes_, groups_, flow).run(taking_part);
  return loads;
}

LinkLoads Exchange::diverted() const {
  const Detours detours(graph_, stations_, groups_);
  LinkLoads loads = sprayed_where([&](StationId s) { return !detours.possible(detours.component_of(s)); });
  SprayFlow flow(graph_, routes_, loads);
  divert_exchange(detours, stations_, count_, bytes_, flow);
  return loads;
}

/// Every member exchanges with all others of its component, those on its own switch included.
void Exchange::add_cable_loads(std::span<const VertexId> members) {
  cables_.assign(graph_.links(), 0.0);
  const IndexedVector<VertexId, std::uint32_t> component = components(graph_);
  std::vector<double> in_component(graph_.vertices(), 0.0);
  for (const VertexId member : members) {
    if (stations_.of(member).exists()) ++in_component[component[stations_[stations_.of(member)].at]];
  }
  const Attachments attachments(graph_);
  for (const VertexId member : members) {
    if (!stations_.of(member).exists() || stations_[stations_.of(member)].last_links == 0) continue;
    const auto cables = attachments.cables(member);
    const double others = in_component[component[stations_[stations_.of(member)].at]] - 1;
    for (const auto& cable : cables)
      for (const LinkId link : {cable.up, opposite(cable.up)})
        cables_[link] += bytes_ * others / static_cast<double>(cables.size());
  }
}

}  // namespace

LinkLoads exchange_loads(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members,
                         double bytes, const PathPolicy& policy, std::span<const int> groups) {
  check(graph, routes, members);
  if (policy.routing == Routing::hash && few_enough_to_hash(members.size(), policy))
    return link_loads(graph, routes, all_pairs(routes, members, bytes), policy, groups);
  const Exchange exchange(graph, routes, members, bytes, groups);
  if (policy.routing == Routing::hash || policy.routing == Routing::spray) return exchange.sprayed();
  LinkLoads diverted = exchange.diverted();
  if (policy.routing == Routing::valiant) return diverted;
  return least_busy_mixture(graph, exchange.sprayed(), diverted);
}

}  // namespace clusterwright
