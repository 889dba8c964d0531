// SPDX-License-Identifier: Apache-2.0
/// Devices of racks by rack unit: the positions that lengths of cables were computed from.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

/// Name of a device after its rack and lowest unit: "C1-U9"; power strips, beside the units: "C1-P2". Nodes of a
/// machine that brings its rack have equal shares of its height, which need not be whole units.
std::string device_name(const SitePlan& plan, DeviceId device);

/// Lowest rack unit that a device occupies, from 1. @pre the device is no power strip
double lowest_unit(const PlacedDevice& device);

bool is_power_strip(const SitePlan& plan, DeviceId device);

/// Devices of each rack, from below; then its power strips.
IndexedVector<RackId, std::vector<DeviceId>> devices_of_racks(const SitePlan& plan);

/// Racks with the same devices at the same heights.
struct RackKind {
  RackId first;  ///< first of them
  long long racks = 0;
  std::vector<DeviceId> devices;  ///< devices of the first one, from below, without power strips
};

/// Kinds of racks by role, and of one role the most frequent first.
std::vector<RackKind> kinds_of_racks(const SitePlan& plan);

}  // namespace clusterwright
