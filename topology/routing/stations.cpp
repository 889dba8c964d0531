// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/stations.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "topology/routing/attachments.hpp"

namespace clusterwright {

Stations::Stations(const NetworkGraph& graph) : of_(graph.endpoints()) {
  const Attachments attachments(graph);
  IndexedVector<Attachments::SetId, StationId> of_set(attachments.sets());
  for (const VertexId endpoint : graph.endpoint_ids()) {
    const Attachments::SetId set = attachments.set_of(endpoint);
    if (!set.exists()) continue;
    const std::vector<VertexId>& switches = attachments.switches(set);
    const bool shares = switches.size() == 1;
    if (shares && of_set[set].exists()) {
      of_[endpoint] = of_set[set];
      continue;
    }
    of_[endpoint] = of_set[set] =
        stations_.push_back({shares ? switches.front() : endpoint, endpoint, switches.front(), shares ? 1 : 0});
  }
}

void gather(std::vector<StationFlow>& flows) {
  std::erase_if(flows, [](const StationFlow& flow) { return flow.from == flow.to || flow.bytes == 0; });
  std::stable_sort(flows.begin(), flows.end(), [](const StationFlow& a, const StationFlow& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  });
  std::size_t kept = 0;
  for (const StationFlow& flow : flows) {
    if (kept > 0 && flows[kept - 1].to == flow.to && flows[kept - 1].from == flow.from)
      flows[kept - 1].bytes += flow.bytes;
    else
      flows[kept++] = flow;
  }
  flows.resize(kept);
}

IndexedVector<VertexId, std::uint32_t> components(const NetworkGraph& graph) {
  constexpr std::uint32_t unseen = 0xffffffff;
  IndexedVector<VertexId, std::uint32_t> component(graph.vertices(), unseen);
  std::vector<VertexId> open;
  for (const VertexId start : graph.switch_ids()) {
    if (component[start] != unseen) continue;
    component[start] = start.value;
    open.push_back(start);
    while (!open.empty()) {
      const VertexId at = open.back();
      open.pop_back();
      for (const LinkId link : graph.leaving(at)) {
        if (!graph.works(link) || component[graph.to(link)] != unseen) continue;
        component[graph.to(link)] = start.value;
        if (!graph.is_endpoint(graph.to(link))) open.push_back(graph.to(link));
      }
    }
  }
  return component;
}

namespace {

/// Switches next to `v` by working links, and `v` itself if `closed`.
std::vector<VertexId> neighbours(const NetworkGraph& graph, VertexId v, bool closed) {
  std::vector<VertexId> near;
  if (closed) near.push_back(v);
  for (const LinkId link : graph.leaving(v))
    if (graph.works(link) && !graph.is_endpoint(graph.to(link))) near.push_back(graph.to(link));
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

}  // namespace

IndexedVector<StationId, StationId> twin_classes(const NetworkGraph& graph, const Stations& stations,
                                                 std::span<const int> groups) {
  IndexedVector<StationId, StationId> classes(stations.size());
  // Twins are joined to each other or are not; no switch can have twins of both kinds.
  for (const bool closed : {false, true}) {
    std::map<std::pair<int, std::vector<VertexId>>, StationId> first_with;
    for (const StationId s : stations.ids()) {
      if (classes[s].exists() || stations[s].last_links == 0) continue;
      const VertexId at = stations[s].place;
      const int group = groups.empty() ? 0 : groups[graph.switch_number(at)];
      const auto [twin, is_first] = first_with.try_emplace({group, neighbours(graph, at, closed)}, s);
      if (!is_first) classes[s] = classes[twin->second] = twin->second;
    }
  }
  for (const StationId s : stations.ids())
    if (!classes[s].exists()) classes[s] = s;
  return classes;
}

}  // namespace clusterwright
