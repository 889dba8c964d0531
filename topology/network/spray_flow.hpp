/// Traffic that spreads evenly over all shortest paths.
#pragma once

#include <vector>

#include "topology/network/link_loads.hpp"
#include "topology/network/stations.hpp"

namespace clusterwright {

/// Traffic towards one destination at a time, moved in order of decreasing distance, so that every vertex is visited
/// once however many sources lie behind it.
class SprayFlow {
 public:
  /// Adds what it moves to `loads`.
  SprayFlow(const NetworkGraph& graph, const Routes& routes, LinkLoads& loads);

  /// Puts traffic for endpoint `to` at a vertex.
  /// @throws ConfigError E0320 if there is no way
  void put(VertexId at, VertexId to, double bytes);

  /// Moves all that was put to the vertices `last_links` before endpoint `to`.
  /// @return them
  const std::vector<VertexId>& move(VertexId to, int last_links);

  /// Takes away what lies at a vertex.
  double take(VertexId at);

  /// Moves all that was put to the place of a station, and takes it away there.
  void finish(const Station& station);

  /// Lets `bytes` that lie at `at`, one link before the place of `station`, go there.
  void deliver(VertexId at, const Station& station, double bytes);

  const NetworkGraph& graph() const { return graph_; }
  const Routes& routes() const { return routes_; }

 private:
  void add(VertexId at, std::size_t distance, double bytes);

  const NetworkGraph& graph_;
  const Routes& routes_;
  LinkLoads& loads_;
  IndexedVector<VertexId, double> bytes_;
  std::vector<std::vector<VertexId>> waiting_;  // by distance: vertices with bytes
  std::vector<VertexId> arrived_;
  std::vector<LinkId> links_;
};

/// Sprays flows between the places of stations.
/// @param flows  gathered
void spray(const Stations& stations, const std::vector<StationFlow>& flows, SprayFlow& flow);

}  // namespace clusterwright
