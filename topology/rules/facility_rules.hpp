// SPDX-License-Identifier: Apache-2.0
/// Rules between a facility and the parts that it is made of.
#pragma once

#include <optional>
#include <vector>

#include "topology/parts/facility_parts.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Most modules of one stage of a power chain. A campus of 2 GW has 1,400 UPS modules of 1.5 MVA.
inline constexpr long long most_power_modules = 10000;

/// Cooling of a hall, as a facility states it.
struct CoolingOfHall {
  const RackCoolingPart& racks;
  std::optional<double> supply_c;
};

/// Modules that a stage of a power chain needs.
struct StageOfChain {
  const PowerPart& part;
  double modules = 0;
  Watts output;
};

/// A module or circuit, and the nearest module above it whose voltage is known.
struct VoltagesOfChain {
  const PowerPart& above;
  const PowerPart& below;
};

std::span<const PartRule<CoolingOfHall>> hall_rules();
std::span<const PartRule<VoltagesOfChain>> voltage_rules();
std::span<const PartRule<StageOfChain>> chain_rules();

}  // namespace clusterwright
