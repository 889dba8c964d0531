// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/rack_elevations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

const DeviceKind& kind_of(const SitePlan& plan, DeviceId device) {
  return plan.device_kinds[plan.devices[device].kind];
}

}  // namespace

bool is_power_strip(const SitePlan& plan, DeviceId device) {
  return kind_of(plan, device).rack_units == 0;
}

double lowest_unit(const PlacedDevice& device) {
  return device.below_u + 1;
}

std::string device_name(const SitePlan& plan, DeviceId device) {
  const PlacedDevice& placed = plan.devices[device];
  return fmt::format("{}-{}{}", plan.floor.racks[placed.rack].name, is_power_strip(plan, device) ? 'P' : 'U',
                     plain_number(lowest_unit(placed)));
}

IndexedVector<RackId, std::vector<DeviceId>> devices_of_racks(const SitePlan& plan) {
  IndexedVector<RackId, std::vector<DeviceId>> out;
  out.resize(plan.floor.racks.size());
  for (std::size_t at = 0; at < plan.devices.size(); ++at) out[plan.devices[DeviceId(at)].rack].push_back(DeviceId(at));
  for (auto& devices : out)
    std::stable_sort(devices.begin(), devices.end(), [&](DeviceId one, DeviceId other) {
      return std::pair(is_power_strip(plan, one), plan.devices[one].below_u) <
             std::pair(is_power_strip(plan, other), plan.devices[other].below_u);
    });
  return out;
}

std::vector<RackKind> kinds_of_racks(const SitePlan& plan) {
  using Slot = std::pair<double, std::size_t>;  // height and kind of a device
  std::map<std::pair<RackRole, std::vector<Slot>>, RackKind> kinds;
  const auto racks = devices_of_racks(plan);
  for (std::size_t at = 0; at < racks.size(); ++at) {
    std::vector<DeviceId> devices = racks[RackId(at)];
    std::erase_if(devices, [&](DeviceId device) { return is_power_strip(plan, device); });
    if (devices.empty()) continue;
    std::vector<Slot> slots;
    for (const DeviceId device : devices) slots.emplace_back(plan.devices[device].below_u, plan.devices[device].kind);
    RackKind& kind = kinds[{plan.floor.racks[RackId(at)].role, std::move(slots)}];
    if (kind.racks++ == 0) kind.first = RackId(at), kind.devices = std::move(devices);
  }
  std::vector<RackKind> out;
  for (auto& [slots, kind] : kinds) out.push_back(std::move(kind));
  std::stable_sort(out.begin(), out.end(), [&](const RackKind& one, const RackKind& other) {
    const auto role = [&](const RackKind& kind) { return plan.floor.racks[kind.first].role; };
    return std::tuple(role(one), -one.racks, one.first) < std::tuple(role(other), -other.racks, other.first);
  });
  return out;
}

}  // namespace clusterwright
