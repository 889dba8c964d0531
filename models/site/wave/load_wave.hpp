// SPDX-License-Identifier: Apache-2.0
/// Power of a running job over time, from one accelerator to the grid.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "models/site/plant/power_chain.hpp"
#include "models/site/wave/power_measures.hpp"
#include "models/site/wave/rank_groups.hpp"
#include "models/site/wave/wave_signal.hpp"
#include "topology/parts/grid_parts.hpp"

namespace clusterwright {

/// accelerator: one. node, rack: behind supplies. hall: all machines. grid: the site.
enum class WaveLevel { accelerator, node, rack, hall, grid };
inline constexpr std::array<std::string_view, 5> wave_level_names = {"accelerator", "node", "rack", "hall", "grid"};
inline constexpr std::size_t wave_level_count = wave_level_names.size();

/// Modules of one kind at each of their places.
struct PlacedStorage {
  const EnergyStoragePart* part = nullptr;
  int modules = 1;
};

/// What stands between the work of accelerators and the grid.
struct WaveMeasures {
  std::optional<PowerSmoothingSpec> smoothing;
  std::optional<FillerSpec> filler;
  std::vector<PlacedStorage> storage;
};

/// Site around the ranks. All power that is not listed by rank is constant.
struct WaveSite {
  RankGroups groups;
  HeldAccelerator accelerator;
  Watts beside;     ///< share of its node's power that one rank has beside its accelerator
  Watts other;      ///< machines that are no nodes
  Watts hall_mean;  ///< power of all machines at which `grid_mean` holds
  Watts grid_mean;
  PowerChain chain;  ///< whose losses follow the load; cooling does not within minutes
  CoolingDraw cooling;
};

/// What all measures together cost.
struct WavePrice {
  double added = 0;    ///< energy burnt by smoothing and filler over the energy of all nodes without
  double delayed = 0;  ///< energy of work that waited, likewise: about the share by which steps get longer
  double lost = 0;     ///< energy lost in storage, likewise
};

/// The rank class, node and rack of a wave: places in WaveSite::groups. Absent: those with the largest swing.
struct ShownGroups {
  std::optional<std::size_t> rank, node, rack;
};

struct LoadWave {
  std::array<PowerSignal, wave_level_count> levels;
  ShownGroups shown;  ///< whose the first three levels are
  WavePrice price;

  PowerSignal& at(WaveLevel level) { return levels[static_cast<std::size_t>(level)]; }
  const PowerSignal& at(WaveLevel level) const { return levels[static_cast<std::size_t>(level)]; }
};

/// Wave behind the measures.
/// @param ranks  power of one rank of each class, all of one length
/// @param lead   samples that filters and storage begin in, and that are left out of the result
LoadWave load_wave(const std::vector<PowerSignal>& ranks, const WaveSite& site, const WaveMeasures& measures,
                   std::size_t lead, const ShownGroups& shown = {});

}  // namespace clusterwright
