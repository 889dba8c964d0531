/// What a facility draws from the grid while its machines draw so much.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/power_chain.hpp"

namespace clusterwright {

/// What is drawn, and what it is made of. The parts sum to the whole.
struct PowerNode {
  std::string name;
  Watts power;
  std::vector<PowerNode> parts;
};

/// At one operating point.
struct FacilityPower {
  Watts it;      ///< all machines, switches and appliances, in front of their supplies
  Watts losses;  ///< of the chain
  Watts cooling;
  Watts other;
  Watts facility;  ///< from the grid
  double pue = 0;
  PowerNode tree;  ///< from the grid down
};

/// Machines at one operating point, by what they are.
struct MachinePower {
  int nodes = 0;
  Watts node, accelerators;         ///< of one node; of its accelerators together, zero where not known
  std::vector<PowerNode> switches;  ///< by network
  Watts storage, services;
  Watts total() const;
};

CoolingDraw draw_of(const RemovalPower& removal);

/// @param given_pue  power from the grid over that of the machines, instead of what the parts draw: cooling takes what
///                   losses leave of it; where that is nothing, losses shrink (and a verdict says so)
FacilityPower facility_power(const MachinePower& machines, const PowerChain& chain, const RemovalPower& removal,
                             std::optional<double> given_pue);

}  // namespace clusterwright
