// SPDX-License-Identifier: Apache-2.0
/// Power that a facility draws from the grid at one operating point of its machines.
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
  Watts total() const;
};

CoolingDraw draw_of(const RemovalPower& removal);

/// @param given_pue  stated power usage effectiveness, in place of what the parts draw: cooling takes what losses leave
///                   of it; where losses alone exceed it, they shrink (and a verdict says so)
FacilityPower facility_power(const MachinePower& machines, const PowerChain& chain, const RemovalPower& removal,
                             std::optional<double> given_pue);

}  // namespace clusterwright
