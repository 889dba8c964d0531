/// The places where traffic enters and leaves the switches of a network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Endpoints that share all of their paths but the cable at the end.
struct Station {
  VertexId place = 0;     ///< the only switch of its endpoints; or an endpoint itself, where it has several switches
  VertexId endpoint = 0;  ///< the first one
  VertexId at = 0;        ///< a switch of it
  int last_links = 0;     ///< from `place` to an endpoint: 1, or 0
};

/// Every endpoint with a working cable belongs to one station. Numbered by their first endpoints.
class Stations {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  explicit Stations(const NetworkGraph& graph);

  std::size_t size() const { return stations_.size(); }
  const Station& operator[](std::uint32_t station) const { return stations_[station]; }
  /// `none` where no cable works.
  std::uint32_t of(VertexId endpoint) const { return of_[endpoint]; }

 private:
  std::vector<Station> stations_;
  std::vector<std::uint32_t> of_;  // by endpoint
};

/// What one station sends to another, together.
struct StationFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

/// Adds up flows between the same stations, drops those that stay at one, and orders the rest by destination, source.
void gather(std::vector<StationFlow>& flows);

/// By vertex a number that it shares with all that switches and working links join it to. An endpoint on several
/// switches joins none of them; it counts with its first one.
std::vector<std::uint32_t> components(const NetworkGraph& graph);

/// Stations on switches of one group that have the same neighbours, so that paths to them differ in the last link
/// between switches only. By station the number of its class; a station whose place is an endpoint is alone in its
/// class.
std::vector<std::uint32_t> twin_classes(const NetworkGraph& graph, const Stations& stations,
                                        std::span<const int> groups);

}  // namespace clusterwright
