// SPDX-License-Identifier: Apache-2.0
/// All-to-all exchange over all shortest paths, without its pairs.
///
/// Twins are stations whose switches have equal neighbours: the leaves of one group of a fat tree.
///
/// Invariant: traffic to two twins takes the same links up to the last switch before them. So one pass of SprayFlow
/// carries what all other stations send to a whole class of twins, and only its last link splits by twin. What twins
/// send to each other would pass through the class itself, and takes a pass for each twin.
///
/// Example: a full-bisection tree of 512 hosts, 8 below a leaf, 8 leaves in a group: 64 stations in 8 classes.
///   pair by pair   64 x 63 = 4,032 flows
///   by class       8 passes with 56 sources each, and 64 passes with 7 sources each among twins: 896 flows
/// With one byte for each pair of hosts, a host's cable carries 511 bytes; a cable from a leaf, which has 8 for its 8
/// hosts, 512 - 8 = 504; a cable to a core, of which a group has 64 for its 64 hosts, 512 - 64 = 448.
///
/// Beyond most_exchange_pairs flows every destination takes an even sample of its sources, scaled up. Each destination
/// starts its sample at another source, so that sources send about equally much, too.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/routing/spray_flow.hpp"
#include "topology/routing/stations.hpp"

namespace clusterwright {

/// Flows between stations and classes of twins beyond which an exchange is sampled.
inline constexpr std::size_t most_exchange_pairs = 1u << 25;

/// Every member of a station sends equally many bytes to every member of every other station that it reaches.
class SprayedExchange {
 public:
  /// @param members  number of members of each station
  /// @param bytes    from one member to another
  /// @param groups   by switch, as the routes were made with; may be empty
  SprayedExchange(const Stations& stations, IndexedVector<StationId, double> members, double bytes,
                  std::span<const int> groups, SprayFlow& flow);

  /// @param taking_part  numbers of stations, ascending
  /// @param most_pairs   flows from a station to a class of twins beyond which only a sample is sent
  void run(const std::vector<StationId>& taking_part, std::size_t most_pairs = most_exchange_pairs);

 private:
  using List = std::vector<StationId>;  // ascending

  std::vector<List> twins(const List& taking_part) const;
  double weight(const List& list) const;
  void send(const List& from, const List& to);
  void put(const List& from, const List& to);

  const Stations& stations_;
  IndexedVector<StationId, double> members_;
  double bytes_;
  std::span<const int> groups_;
  SprayFlow& flow_;
  std::size_t sample_step_ = 1;  // a destination takes every sample_step_-th of its sources
};

}  // namespace clusterwright
