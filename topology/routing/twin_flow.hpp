// SPDX-License-Identifier: Apache-2.0
/// Traffic that spreads evenly over all shortest paths to several twins at once.
///
/// Twins are stations whose switches have equal neighbours (twin_classes). Traffic from elsewhere takes the same links
/// to all of them, up to the last switch before them. So the next links of a vertex are looked up once, and a vertex
/// holds one amount of bytes for each twin.
///
/// Invariant: each amount, and the load of each link, is the sum of the same terms in the same order as if SprayFlow
/// had carried the traffic of one twin after the other. So both give the same loads, bit by bit.
/// A station alone, whatever its place, counts as a class of one.
///
/// Example: 2 spines above 3 leaves; leaf 0 sends 8 bytes to leaf 1 and 4 to leaf 2.
///   leaf 0             holds (8, 4), and passes (4, 2) on over each of its two cables
///   link to a spine    carries 4, then 4 + 2
///   spine              passes 4 on to leaf 1 and 2 to leaf 2
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/routing/spray_flow.hpp"
#include "topology/routing/stations.hpp"

namespace clusterwright {

class TwinFlow {
 public:
  /// @param flow  carries traffic to stations alone; its loads grow by all traffic
  TwinFlow(const Stations& stations, SprayFlow& flow);

  /// Begins with traffic to `twins`, which the amounts put later are parallel to.
  /// @pre one station, or several of one class of twins; the traffic before is finished
  void start(std::span<const StationId> twins);

  /// Puts traffic at the place of a station that is none of the twins.
  /// @param bytes  for each twin, more than 0
  /// @throws ConfigError E0320 if there is no way
  void put(StationId from, std::span<const double> bytes);

  /// Moves all traffic to the twins, and removes it there.
  void finish();

 private:
  /// Amounts of a vertex, as a number of rows of bytes_.
  using Row = std::uint32_t;
  static constexpr Row none = static_cast<Row>(-1);

  struct Waiting {
    VertexId at;
    Row row = none;
  };

  bool alone() const { return twins_.size() == 1; }
  double* amounts(VertexId at, std::size_t distance);
  void pass_on(const Waiting& from, std::size_t distance);
  void load_links(std::size_t first);
  void add_share(double* amount) const;
  const Stations& stations_;
  SprayFlow& flow_;
  std::vector<StationId> twins_;
  std::size_t columns_ = 0;  // twins, rounded up; amounts of the others are 0 and change nothing
  IndexedVector<VertexId, Row> row_of_;
  std::vector<double> bytes_;                  // by row and column
  std::vector<double> share_;                  // by column
  std::vector<std::vector<Waiting>> waiting_;  // by distance
  std::vector<LinkId> links_;
};

}  // namespace clusterwright
