/// An all-to-all exchange over all shortest paths, without its pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/network/spray_flow.hpp"
#include "topology/network/stations.hpp"

namespace clusterwright {

/// Every member of a station sends as many bytes to every member of every other station that it reaches.
///
/// Twin stations (equal neighbours) are filled together: their traffic takes the same links up to the last switch
/// before them, so that a fat tree costs one pass for each lowest group of switches instead of one for each switch.
class SprayedExchange {
 public:
  /// @param members  by station
  /// @param bytes    from a member to a member
  /// @param groups   by switch, as the routes were made with; may be empty
  SprayedExchange(const Stations& stations, IndexedVector<StationId, double> members, double bytes,
                  std::span<const int> groups, SprayFlow& flow);

  /// @param taking_part  numbers of stations, ascending
  /// @param most_pairs   of a station that sends and a class of twins that it fills; beyond, only a sample is sent
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
  std::size_t every_ = 1;  // of its sources a destination takes only each every_-th
};

}  // namespace clusterwright
