// SPDX-License-Identifier: Apache-2.0
/// Number of devices that a rack holds, and the limit that stops it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/devices.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

enum class RackLimitKind { power_limit, cooling, air, feeds, height, static_load, floor_load, stated_nodes };
inline constexpr std::array<std::string_view, 8> rack_limit_names = {
    "power limit", "cooling",     "heat left in the air", "feeds",
    "rack units",  "static load", "floor load",           "stated nodes per rack"};

/// Largest number of nodes that one limit allows in a compute rack.
struct RackLimit {
  RackLimitKind kind = RackLimitKind::height;
  int nodes = 0;
  std::string arithmetic;  ///< "41 kW / 10.2 kW"

  std::string_view name() const { return rack_limit_names[static_cast<std::size_t>(kind)]; }
};

/// Limits that hold for every rack, and the parts that set them.
struct RackBounds {
  const RackPart* frame = nullptr;
  const RackCoolingPart* cooling = nullptr;
  RackRules rules;
  PowerChainSpec power;
  const PowerPart* circuit = nullptr;
  double floor_load_kg_per_m2 = 0;
  std::optional<Watts> in_rack_coolant =
      {};                       ///< heat that the coolant units inside a rack pass on; none: units outside
  Kilograms in_rack_mass = {};  ///< of those units

  /// Keeps room for coolant units in each rack, of which one carries its heat.
  void hold(const CoolantUnitPart& unit, int units);
};

/// Limits of one compute rack, the tightest first; equal ones in the order of RackLimitKind.
std::vector<RackLimit> compute_rack_limits(const ComputeBlock& block, const RackBounds& bounds);

/// Rack that is being filled with single devices.
class OpenRack {
 public:
  /// @param reserved_u  rack units that stay empty
  OpenRack(const RackBounds& bounds, double reserved_u);

  /// Whether one more device fits. @param reason  gets the exceeded limit if not
  bool fits(const Device& device, std::string* reason = nullptr) const;
  void add(const Device& device);

  double used_u() const { return used_u_; }
  Kilograms mass() const { return mass_; }  ///< mass of the equipment, without the frame
  Watts rated() const { return rated_; }
  Watts to_air() const { return to_air_; }

 private:
  double room_u_, used_u_ = 0;
  Kilograms most_mass_, mass_;
  Watts most_power_, rated_;
  Watts most_air_, to_air_;
};

}  // namespace clusterwright
