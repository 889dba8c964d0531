// SPDX-License-Identifier: Apache-2.0
#include "topology/network/exchange_loads.hpp"

#include <algorithm>
#include <map>

#include "topology/network/attachments.hpp"
#include "topology/network/path_walk.hpp"
#include "topology/network/sprayed_exchange.hpp"
#include "topology/network/valiant.hpp"
#include "topology/network/valiant_mixture.hpp"

namespace clusterwright {

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
