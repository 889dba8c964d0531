// SPDX-License-Identifier: Apache-2.0
/// Power that a facility draws from the grid at one operating point of its machines.
///
/// Cooling and losses depend on each other: what the chain loses indoors is heat, and cooling is a load of the chain.
/// Both are solved together, by repetition: a watt of heat takes some tenths of a watt of cooling, and that some
/// hundredths of a watt of losses, so few rounds reach the last digit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/power_chain.hpp"

namespace clusterwright {

/// Branch of a tree of power; the parts sum to the whole.
struct PowerNode {
  std::string name;
  Watts power;
  std::vector<PowerNode> parts;
};

struct FacilityPower {
  Watts it;      ///< nodes, switches and appliances, at their supplies
  Watts nodes;   ///< part of `it`
  Watts losses;  ///< losses of the power chain
  Watts cooling;
  Watts other;
  Watts facility;  ///< power from the grid
  double pue = 0;
  PowerNode tree;  ///< tree of loads, from the grid down
};

/// Power of the machines at one operating point.
struct MachinePower {
  int nodes = 0;
  Watts node;                       ///< power of one node
  Watts accelerators;               ///< all accelerators of one node; zero where not known
  std::vector<PowerNode> switches;  ///< power of switches by network
  Watts storage, services;
  double liquid_share = 0;  ///< share of the nodes' heat that liquid takes up; all other heat warms the air
  Watts total() const;
  Watts liquid() const { return liquid_share * node * nodes; }
};

CoolingDraw draw_of(const RemovalPower& removal);

struct OperatingPoint {
  FacilityPower power;
  CoolingState cooling;
};

/// @param pue  stated power usage effectiveness, in place of what the plants draw: cooling takes what losses leave of
///             it; where losses alone exceed it, they shrink (and a verdict says so)
OperatingPoint operate(const MachinePower& machines, const PowerChain& chain, const CoolingParts& cooling,
                       Weather weather, std::optional<double> pue);

/// Power usage effectiveness that a facility states, instead of the modelled one.
struct StatedPue {
  std::optional<double> year;        ///< mean of a year
  std::optional<double> design_day;  ///< everything at its nameplate on the design day
};

/// Chain for everything at its nameplate on the design day.
struct DesignedChain {
  PowerChain chain;
  std::optional<double> pue;  ///< of the design day: that stated, else the year's where the modelled one is below it
};
DesignedChain design_chain(const PowerChainSpec& spec, const Catalog& catalog, const MachinePower& rated,
                           const CoolingParts& cooling, const RackFeedCounts& feeds, const StatedPue& stated);

}  // namespace clusterwright
