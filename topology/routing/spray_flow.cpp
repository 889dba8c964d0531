// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/spray_flow.hpp"

#include "topology/routing/path_walk.hpp"

namespace clusterwright {

SprayFlow::SprayFlow(const NetworkGraph& graph, const Routes& routes, LinkLoads& loads)
    : graph_(graph), routes_(routes), loads_(loads), bytes_(graph.vertices(), 0.0), waiting_(1) {}

void SprayFlow::add(VertexId at, std::size_t distance, double bytes) {
  if (bytes_[at] == 0) waiting_[distance].push_back(at);
  bytes_[at] += bytes;
}

void SprayFlow::put(VertexId at, VertexId to, double bytes) {
  if (!(bytes > 0)) return;
  const int hops = routes_.hops(at, to);
  if (hops < 0) throw_no_path(graph_, at, to);
  const auto distance = static_cast<std::size_t>(hops);
  if (distance >= waiting_.size()) waiting_.resize(distance + 1);
  add(at, distance, bytes);
}

const std::vector<VertexId>& SprayFlow::move(VertexId to, int last_links) {
  const auto stop = static_cast<std::size_t>(last_links);
  if (stop >= waiting_.size()) waiting_.resize(stop + 1);
  for (std::size_t distance = waiting_.size() - 1; distance > stop; --distance) {
    for (const VertexId at : waiting_[distance]) {
      links_.clear();
      routes_.next_links(at, to, links_);
      const double share = take(at) / static_cast<double>(links_.size());
      for (const LinkId link : links_) {
        loads_[link] += share;
        add(graph_.to(link), distance - 1, share);
      }
    }
    waiting_[distance].clear();
  }
  links_.clear();
  arrived_.swap(waiting_[stop]);
  waiting_[stop].clear();
  return arrived_;
}

double SprayFlow::take(VertexId at) {
  const double bytes = bytes_[at];
  bytes_[at] = 0;
  return bytes;
}

void SprayFlow::finish(const Station& station) {
  for (const VertexId at : move(station.endpoint, station.last_links)) take(at);
}

void SprayFlow::deliver(VertexId at, const Station& station, double bytes) {
  links_.clear();
  routes_.next_links(at, station.endpoint, links_);
  for (const LinkId link : links_) loads_[link] += bytes / static_cast<double>(links_.size());
}

void spray(const Stations& stations, const std::vector<StationFlow>& flows, SprayFlow& flow) {
  for (std::size_t i = 0; i < flows.size();) {
    const Station& to = stations[flows[i].to];
    const StationId destination = flows[i].to;
    for (; i < flows.size() && flows[i].to == destination; ++i)
      flow.put(stations[flows[i].from].place, to.endpoint, flows[i].bytes);
    flow.finish(to);
  }
}

}  // namespace clusterwright
