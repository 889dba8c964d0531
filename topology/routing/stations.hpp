// SPDX-License-Identifier: Apache-2.0
/// Places where traffic enters and leaves the switches of a network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Endpoints that share all of their paths but the cable at the end.
struct Station {
  VertexId place;      ///< only switch of its endpoints; or the endpoint itself, where it has several switches
  VertexId endpoint;   ///< first endpoint
  VertexId at;         ///< a switch that it is cabled to
  int last_links = 0;  ///< from `place` to an endpoint: 1, or 0
};

using StationId = Id<struct StationTag>;

/// Every endpoint with a working cable belongs to one station. Numbered by their first endpoints.
class Stations {
 public:
  explicit Stations(const NetworkGraph& graph);

  std::size_t size() const { return stations_.size(); }
  IdRange<StationId> ids() const { return stations_.ids(); }
  const Station& operator[](StationId station) const { return stations_[station]; }
  /// None where no cable works.
  StationId of(VertexId endpoint) const { return of_[endpoint]; }

 private:
  IndexedVector<StationId, Station> stations_;
  IndexedVector<VertexId, StationId> of_;  // by endpoint
};

/// Bytes that one station sends to another in all.
struct StationFlow {
  StationId from;
  StationId to;
  double bytes = 0;
};

/// Adds up flows between the same stations, drops those that stay at one, and orders the rest by destination, source.
void gather(std::vector<StationFlow>& flows);

/// Number by vertex that it shares with all vertices that switches and working links join it to. An endpoint on several
/// switches joins none of them; it counts with its first one.
IndexedVector<VertexId, std::uint32_t> components(const NetworkGraph& graph);

/// Stations on switches of one group that have the same neighbours, so that paths to them differ in the last link
/// between switches only. By station the first station of its class; a station whose place is an endpoint is alone in
/// its class.
IndexedVector<StationId, StationId> twin_classes(const NetworkGraph& graph, const Stations& stations,
                                                 std::span<const int> groups);

}  // namespace clusterwright
