// SPDX-License-Identifier: Apache-2.0
/// Traffic that spreads evenly over all shortest paths.
///
/// A vertex passes on what it has in equal parts over all its next links, parallel cables counted each. (Equal parts
/// for each link at a vertex, not for each path: that is what ECMP and packet spraying do.)
///
/// Invariant: traffic to one destination only moves from distance d to distance d - 1. Vertices are visited from the
/// farthest to the nearest, so when one is visited, all that it will ever pass on has arrived. Each vertex and link is
/// visited once, however many sources lie behind it and however many paths lead on.
///
/// Example: 4 hosts below a leaf, 2 leaves and 4 spines in a group, 2 groups, 8 cores; 8 bytes from host 0 to host 15.
///   distance 6  host 0    8 bytes up its cable
///   distance 5  leaf 0    2 bytes to each of 4 spines
///   distance 4  4 spines  1 byte to each of their 2 cores
///   distance 3  8 cores   1 byte each to the spine of the other group
///   distance 2  4 spines  2 bytes each to leaf 3
///   distance 1  leaf 3    8 bytes to host 15
/// 26 links carry 48 bytes: 6 links on each path x 8 bytes. There are 8 paths, but no path was ever listed.
///
/// @source The order by distance is that of U. Brandes, "A faster algorithm for betweenness centrality", Journal of
///         Mathematical Sociology 25, 2001
#pragma once

#include <vector>

#include "topology/routing/link_loads.hpp"
#include "topology/routing/stations.hpp"

namespace clusterwright {

/// Traffic towards one destination at a time.
class SprayFlow {
 public:
  /// @param loads  to which the bytes that cross each link are added
  SprayFlow(const NetworkGraph& graph, const Routes& routes, LinkLoads& loads);

  /// Puts traffic for endpoint `to` at a vertex.
  /// @throws ConfigError E0320 if there is no way
  void put(VertexId at, VertexId to, double bytes);

  /// Moves all traffic up to `last_links` links before endpoint `to`.
  /// @return the vertices where it lies then
  const std::vector<VertexId>& move(VertexId to, int last_links);

  /// Removes the bytes that lie at a vertex, and returns them.
  double take(VertexId at);

  /// Moves all traffic to the place of a station, and removes it there.
  void finish(const Station& station);

  /// Moves `bytes` from `at` over one link to the place of `station`.
  void deliver(VertexId at, const Station& station, double bytes);

  const NetworkGraph& graph() const { return graph_; }
  const Routes& routes() const { return routes_; }
  LinkLoads& loads() { return loads_; }

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
