/// How many pieces of equipment a rack holds, and why no more.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/devices.hpp"
#include "topology/facility_parts.hpp"
#include "topology/facility_spec.hpp"

namespace clusterwright {

/// One reason why a rack holds no more nodes.
struct RackLimit {
  std::string what;        ///< "cooling"
  int nodes = 0;           ///< that it allows
  std::string arithmetic;  ///< "41 kW / 10.2 kW"
};

/// What any rack must keep, and the parts that set it.
struct RackBounds {
  const RackPart* frame = nullptr;
  const RackCoolingPart* cooling = nullptr;
  RackRules rules;
  PowerChainSpec power;
  const PowerPart* circuit = nullptr;
  double floor_load_kg_per_m2 = 0;
};

/// Nodes of one compute rack that each bound allows, the tightest first; of equal ones in the order: power limit,
/// cooling, air that stays, feeds, height, weight, floor, the user's own.
std::vector<RackLimit> compute_rack_limits(const ComputeBlock& block, const RackBounds& bounds);

/// A rack that is being filled with single devices.
class OpenRack {
 public:
  /// @param reserved_u  that stay empty
  OpenRack(const RackBounds& bounds, double reserved_u);

  /// Whether one more fits; `reason` says what is exceeded if not.
  bool fits(const Device& device, std::string* reason = nullptr) const;
  void add(const Device& device);

  double used_u() const { return used_u_; }
  Kilograms mass() const { return mass_; }  ///< equipment only
  Watts rated() const { return rated_; }
  Watts to_air() const { return to_air_; }

 private:
  double room_u_, used_u_ = 0;
  Kilograms most_mass_, mass_;
  Watts most_power_, rated_;
  Watts most_air_, to_air_;
};

}  // namespace clusterwright
