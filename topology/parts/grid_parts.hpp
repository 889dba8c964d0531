// SPDX-License-Identifier: Apache-2.0
/// Parts between a cluster and its utility: energy storage, and what utilities allow.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Where a storage module stands: in the supply of each accelerator, in each compute rack, in the hall.
enum class StoragePlace { accelerator, rack, hall };
inline constexpr std::array<std::string_view, 3> storage_place_names = {"accelerator", "rack", "hall"};

/// Capacitors or batteries that take up swings of power.
struct EnergyStoragePart {
  std::string id;
  StoragePlace place = StoragePlace::rack;
  Sourced<Joules> energy;      ///< usable energy of one module
  Sourced<Watts> power;        ///< most that one module takes up or gives
  Sourced<double> efficiency;  ///< energy out over energy in, there and back
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<EnergyStoragePart>& record(const EnergyStoragePart*);

/// Generators that carry a site without its grid.
struct GeneratorPart {
  std::string id;
  Sourced<double> first_block;  ///< load that it takes at once, over its rating
  Sourced<Seconds> start;       ///< from the loss of the grid to its first load
  std::string note;
};
const Record<GeneratorPart>& record(const GeneratorPart*);

/// What a utility allows the power of a site to do. A limit that is absent is not set.
struct InterconnectionPart {
  std::string id;
  Sourced<Watts> applies_from{Watts(), "default", false};  ///< smaller sites have no limits
  std::optional<Sourced<Watts>> ramp;  ///< change within `ramp_window`; rates are stated as means over it
  Sourced<Seconds> ramp_window{60 * second, "default", false};
  Sourced<Watts> ramp_from{Watts(), "default", false};  ///< smaller changes may be faster
  std::optional<Sourced<Watts>> range;                  ///< peak to peak within any `range_window`
  Sourced<Seconds> range_window{5 * second, "default", false};
  std::optional<Sourced<Watts>> band;         ///< peak to peak of oscillations from `band_low_hz` to `band_high_hz`
  std::optional<Sourced<double>> band_share;  ///< likewise, over the largest power of the site; the lesser counts
  Sourced<double> band_low_hz{0.1, "default", false}, band_high_hz{20, "default", false};
  std::string note;
};
const Record<InterconnectionPart>& record(const InterconnectionPart*);

}  // namespace clusterwright
