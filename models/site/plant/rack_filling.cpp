// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/rack_filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

constexpr int most_nodes = 1 << 14;

int whole(double quotient) {
  return static_cast<int>(std::clamp<double>(std::floor(quotient + site_rounding), 0, most_nodes));
}

std::string kilowatts(Watts power) {
  return plain_number(power.in(kilowatt)) + " kW";
}

/// Mass that the floor carries on the footprint of one rack, frame included.
Kilograms most_on_floor(const RackBounds& bounds) {
  const double area = bounds.frame->width.value.in(meter)*bounds.frame->depth.value.in(meter);
  return bounds.floor_load_kg_per_m2 * area * kilogram;
}

class LimitList {
 public:
  LimitList(const ComputeBlock& block, const RackBounds& bounds) : block_(block), bounds_(bounds) {}

  std::vector<RackLimit> collect() {
    const Device& device = block_.device;
    if (bounds_.rules.power_limit) add_power(RackLimitKind::power_limit, *bounds_.rules.power_limit, device.rated);
    add_power(RackLimitKind::cooling, bounds_.cooling->capacity.value, device.rated);
    const Watts air = (1 - device.liquid_share) * device.rated;
    if (device.liquid_share > 0 && bounds_.in_rack_coolant)
      add_power(RackLimitKind::cooling, *bounds_.in_rack_coolant, device.liquid_share * device.rated);
    if (device.liquid_share > 0) add_power(RackLimitKind::air, bounds_.cooling->air_capacity.value, air);
    if (bounds_.circuit) add_feeds();
    add_height();
    add_weight();
    if (bounds_.rules.nodes)
      limits_.push_back({RackLimitKind::stated_nodes, *bounds_.rules.nodes, "given by the facility"});
    std::stable_sort(limits_.begin(), limits_.end(),
                     [](const RackLimit& one, const RackLimit& other) { return one.nodes < other.nodes; });
    return std::move(limits_);
  }

 private:
  void add(RackLimitKind kind, double blocks, std::string arithmetic) {
    limits_.push_back({kind, std::min(most_nodes, whole(blocks) * block_.nodes), std::move(arithmetic)});
  }

  void add_power(RackLimitKind kind, Watts limit, Watts each) {
    add(kind, limit / each, fmt::format("{} / {}", kilowatts(limit), kilowatts(each)));
  }

  void add_feeds() {
    const PowerChainSpec& power = bounds_.power;
    const Watts limit = most_fed(*bounds_.circuit, power);
    const std::string_view redundancy = redundancy_names[static_cast<std::size_t>(power.feeds)];
    add(RackLimitKind::feeds, limit / block_.device.rated,
        fmt::format("{} circuits, {}: {} / {}", power.most_feeds, redundancy, kilowatts(limit),
                    kilowatts(block_.device.rated)));
  }

  void add_height() {
    const bool own_frame = block_.machine != nullptr;
    const double room = bounds_.frame->rack_units.value - (own_frame ? 0 : bounds_.rules.reserved_u);
    const double each = block_.device.rack_units;
    add(RackLimitKind::height, room / each, fmt::format("{:.4g} U free / {:.4g} U", room, each));
  }

  /// Limits by mass. The mass of a machine includes its rack.
  void add_weight() {
    const Kilograms frame = (block_.machine ? Kilograms{} : bounds_.frame->mass.value) + bounds_.in_rack_mass;
    const Kilograms each = block_.device.mass;
    const Kilograms most = bounds_.frame->static_load.value + (bounds_.frame->mass.value - frame);
    add(RackLimitKind::static_load, most / each,
        fmt::format("{:.0f} kg / {} kg", most.in(kilogram), plain_number(each.in(kilogram))));
    if (bounds_.floor_load_kg_per_m2 <= 0) return;
    const Kilograms floor = most_on_floor(bounds_);
    const std::string carried = fmt::format("{:.0f} kg on the footprint", floor.in(kilogram));
    add(RackLimitKind::floor_load, (floor - frame) / each,
        fmt::format(
            "{} / {} kg",
            block_.machine ? carried : fmt::format("({} - {:.0f} kg of the frame)", carried, frame.in(kilogram)),
            plain_number(each.in(kilogram))));
  }

  const ComputeBlock& block_;
  const RackBounds& bounds_;
  std::vector<RackLimit> limits_;
};

}  // namespace

void RackBounds::hold(const CoolantUnitPart& unit, int units) {
  rules.reserved_u += units * unit.rack_units->value;
  in_rack_coolant = unit.capacity.value;
  in_rack_mass = units * unit.mass.value;
}

std::vector<RackLimit> compute_rack_limits(const ComputeBlock& block, const RackBounds& bounds) {
  return LimitList(block, bounds).collect();
}

OpenRack::OpenRack(const RackBounds& bounds, double reserved_u)
    : room_u_(bounds.frame->rack_units.value - reserved_u),
      most_mass_(bounds.frame->static_load.value),
      most_power_(bounds.cooling->capacity.value),
      most_air_(bounds.cooling->air_capacity.value) {
  if (bounds.rules.power_limit) most_power_ = std::min(most_power_, *bounds.rules.power_limit);
  if (bounds.circuit) most_power_ = std::min(most_power_, most_fed(*bounds.circuit, bounds.power));
  if (bounds.floor_load_kg_per_m2 > 0)
    most_mass_ = std::min(most_mass_, most_on_floor(bounds) - bounds.frame->mass.value);
}

bool OpenRack::fits(const Device& device, std::string* reason) const {
  const auto exceeded = [&](const char* what, double needs, double room, const char* unit) {
    if (needs <= room * (1 + site_rounding)) return false;
    if (reason)
      *reason = fmt::format("{}: {} {} needed, {} available", what, plain_number(needs), unit, plain_number(room));
    return true;
  };
  const Watts air = to_air_ + (1 - device.liquid_share) * device.rated;
  return !exceeded("rack units", used_u_ + device.rack_units, room_u_, "U") &&
         !exceeded("power", (rated_ + device.rated).in(kilowatt), most_power_.in(kilowatt), "kW") &&
         !exceeded("heat in the air", air.in(kilowatt), most_air_.in(kilowatt), "kW") &&
         !exceeded("weight", (mass_ + device.mass).in(kilogram), most_mass_.in(kilogram), "kg");
}

void OpenRack::add(const Device& device) {
  used_u_ += device.rack_units;
  mass_ += device.mass;
  rated_ += device.rated;
  to_air_ += (1 - device.liquid_share) * device.rated;
}

}  // namespace clusterwright
