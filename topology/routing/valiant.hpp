// SPDX-License-Identifier: Apache-2.0
/// Valiant's paths: by way of some other group, to spread traffic that would crowd the few direct links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/routing/link_loads.hpp"
#include "topology/routing/spray_flow.hpp"
#include "topology/routing/stations.hpp"

namespace clusterwright {

/// Stations where a flow may turn: those on a switch outside the cells of both ends. A cell is the part of a group that
/// holds together; stations of one component can reach each other.
class Detours {
 public:
  /// @param groups  by switch; empty: each switch is a group
  Detours(const NetworkGraph& graph, const Stations& stations, std::span<const int> groups);

  std::uint32_t cell_of(StationId station) const { return cell_of_[station]; }
  std::uint32_t component_of(StationId station) const { return component_[cell_of_[station]]; }
  std::size_t cells() const { return turns_.size(); }
  /// Stations of a cell where flows may turn.
  const std::vector<StationId>& turns(std::uint32_t cell) const { return turns_[cell]; }
  const std::vector<std::uint32_t>& cells_of(std::uint32_t component) const { return cells_of_[component]; }
  /// Whether two stations of a cell are twins (twin_classes).
  bool twins(StationId a, StationId b) const { return cell_of_[a] == cell_of_[b] && twin_class_[a] == twin_class_[b]; }
  /// Whether three cells or more are joined there, so that any two ends leave a third.
  bool possible(std::uint32_t component) const { return with_turns_[component] >= 3; }
  /// Stations where flows between two cells (or within one) may turn.
  double choices(std::uint32_t from_cell, std::uint32_t to_cell) const;

 private:
  IndexedVector<StationId, std::uint32_t> cell_of_;
  IndexedVector<StationId, StationId> twin_class_;
  std::vector<std::uint32_t> component_;              // by cell
  std::vector<std::vector<StationId>> turns_;         // by cell
  std::vector<std::vector<std::uint32_t>> cells_of_;  // by component
  std::vector<std::size_t> with_turns_;               // by component: number of cells with turns
  std::vector<std::size_t> all_turns_;                // by component: number of turns
};

/// Lays flows between stations by way of others; those that have no detour are sprayed.
void divert(const Detours& detours, const Stations& stations, const std::vector<StationFlow>& flows, SprayFlow& flow);

/// The same for an exchange: every endpoint of a station sends `bytes` to every endpoint of every other station of its
/// component. Stations whose component has no detour are left out.
/// @param members  endpoints that take part, by station
void divert_exchange(const Detours& detours, const Stations& stations, const IndexedVector<StationId, double>& members,
                     double bytes, SprayFlow& flow);

/// The x of least_busy_mixture.
double least_busy_share(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b);

/// x * a + (1 - x) * b with the x in 0..1 whose busiest link has the fewest seconds; exact, since every link's seconds
/// are linear in x. Of equally good ones the largest x.
LinkLoads least_busy_mixture(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b);

}  // namespace clusterwright
