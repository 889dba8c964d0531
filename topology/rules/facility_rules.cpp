// SPDX-License-Identifier: Apache-2.0
#include "topology/rules/facility_rules.hpp"

#include <fmt/format.h>

#include "topology/rules/part_rules.hpp"

namespace clusterwright {

namespace {

std::optional<Breach> hot_supply(const CoolingOfHall& s) {
  if (s.racks.liquid_share.value > 0 || !s.supply_c) return std::nullopt;
  return above(*s.supply_c, hottest_server_air_c, "C");
}

/// Circuits follow the racks, not the sum of the power.
std::optional<Breach> too_many_modules(const StageOfChain& s) {
  if (s.part.kind == PowerStageKind::circuit || s.modules <= static_cast<double>(most_power_modules))
    return std::nullopt;
  return Breach{fmt::format("{}, {}", s.part.id, amount(s.part.rating.value.in(kilowatt), "kVA")),
                amount(s.output.in(kilowatt), "kW")};
}

/// Transformers change the voltage; all other modules pass it on.
std::optional<Breach> other_voltage(const VoltagesOfChain& s) {
  const bool changes = s.below.kind == PowerStageKind::transformer || s.below.kind == PowerStageKind::pdu;
  if (changes || !s.below.volts || !s.above.volts || s.below.volts->value == s.above.volts->value) return std::nullopt;
  return Breach{fmt::format("{}, {}", s.below.id, amount(s.below.volts->value, "V")),
                fmt::format("{}, {}", s.above.id, amount(s.above.volts->value, "V"))};
}

constexpr PartRule<CoolingOfHall> of_hall[] = {
    {{"supply temperature and servers", "cooling.supply_c", "is above what servers take in:", "ASHRAE class A4",
      "E0354", "air at the inlets of servers has at most 45 C; 18 to 27 C is recommended"},
     hot_supply},
};

constexpr PartRule<VoltagesOfChain> of_voltages[] = {
    {{"voltages of neighbouring power stages", "power.circuit", "has another voltage than", "power.stages.*.part",
      "E0354", "name parts of one voltage, or a transformer between them"},
     other_voltage},
};

constexpr PartRule<StageOfChain> of_chain[] = {
    {{"module and load of a power stage", "facility.power.stages", "needs more than 10,000 modules for",
      "power of the machines", "E0354", "name a larger module; a campus of 2 GW has 1,400 UPS modules"},
     too_many_modules},
};

}  // namespace

std::span<const PartRule<CoolingOfHall>> hall_rules() {
  return of_hall;
}

std::span<const PartRule<VoltagesOfChain>> voltage_rules() {
  return of_voltages;
}

std::span<const PartRule<StageOfChain>> chain_rules() {
  return of_chain;
}

}  // namespace clusterwright
