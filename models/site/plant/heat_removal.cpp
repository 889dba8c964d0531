// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/heat_removal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

constexpr double kelvin_at_0c = 273.15;
constexpr double air_j_per_kg_k = 1005;
constexpr double air_kg_per_m3 = 1.2;
constexpr double water_evaporation_j_per_kg = 2.45e6;  // at 20 C
/// Water in over water evaporated, at five cycles of concentration: 5 / (5 - 1).
constexpr double blowdown = 1.25;
/// Least temperature difference of a compressor, held even when it is cold outside.
constexpr double least_lift_k = 10;
constexpr int months = 12, hours = 24;

struct Outdoors {
  double dry_c, wet_c;
};

Outdoors at(const ClimatePart& climate, double month_index, double hour) {
  const double season = std::cos(2 * std::numbers::pi * month_index / months);
  const double time = std::cos(2 * std::numbers::pi * hour / hours);
  const double dry = climate.mean_c.value + climate.annual_k.value * season + climate.daily_k.value * time;
  // The wet-bulb temperature follows half of the daily change, since air dries as it warms.
  const double wet = climate.mean_c.value - climate.wet_bulb_below_k.value + climate.annual_k.value * season +
                     climate.daily_k.value / 2 * time;
  return {dry, std::min(dry, wet)};
}

/// Outdoor temperature that bounds a plant.
double sink_c(const HeatRejectionPart& plant, Outdoors outdoors) {
  return plant.evaporates ? outdoors.wet_c : outdoors.dry_c;
}

bool free_cooling(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors) {
  return plant.approach_k && sink_c(plant, outdoors) + plant.approach_k->value <= supply_c;
}

/// Coefficient of performance: heat moved over power of the compressor.
double performance(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors) {
  const double lift = std::max(least_lift_k, sink_c(plant, outdoors) - supply_c + plant.lift_k.value);
  return plant.carnot_share->value * (supply_c + kelvin_at_0c) / lift;
}

void reject(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors, Watts heat, RemovalPower& out) {
  out.rejection += plant.fan_share.value * heat;
  Watts carried = heat;
  if (plant.carnot_share && !free_cooling(plant, supply_c, outdoors)) {
    const Watts compressor = heat / performance(plant, supply_c, outdoors);
    out.compressors += compressor;
    carried += compressor;
  }
  if (plant.evaporates) out.water_l_per_s += blowdown * carried.in(watt) / water_evaporation_j_per_kg;
}

RemovalPower removal(const CoolingParts& parts, Heat heat, Outdoors outdoors) {
  RemovalPower out;
  out.pumps = parts.racks->pump_share.value * heat.liquid;
  out.air_movers = parts.racks->air_mover_share.value * heat.air;
  if (heat.liquid > Watts{}) reject(*parts.liquid_rejection, parts.coolant_supply_c, outdoors, heat.liquid, out);
  reject(*parts.air_rejection, parts.air_supply_c, outdoors, heat.air + out.air_movers, out);
  return out;
}

void over_the_year(const ClimatePart& climate, const std::function<void(Outdoors)>& visit) {
  for (int month_index = 0; month_index < months; ++month_index)
    for (int hour = 0; hour < hours; ++hour) visit(at(climate, month_index, hour));
}

Outdoors hottest(const ClimatePart& climate) {
  return {climate.design_c.value, climate.design_wet_bulb_c.value};
}

bool compressor_runs(const CoolingParts& parts, Outdoors outdoors, Heat heat) {
  const auto runs = [&](const HeatRejectionPart& plant, double supply_c) {
    return plant.carnot_share && !free_cooling(plant, supply_c, outdoors);
  };
  return runs(*parts.air_rejection, parts.air_supply_c) ||
         (heat.liquid > Watts{} && runs(*parts.liquid_rejection, parts.coolant_supply_c));
}

}  // namespace

CoolingParts cooling_parts(const CoolingSpec& spec, const Catalog& catalog) {
  CoolingParts out;
  out.racks = find_part(catalog.rack_cooling, spec.racks);
  out.liquid_rejection = find_part(catalog.heat_rejection, spec.rejection);
  out.air_rejection =
      spec.air_rejection.empty() ? out.liquid_rejection : find_part(catalog.heat_rejection, spec.air_rejection);
  out.climate = find_part(catalog.climates, spec.climate);
  if (!spec.coolant_unit.empty()) out.coolant_unit = find_part(catalog.coolant_units, spec.coolant_unit);
  const bool liquid = out.racks->liquid_share.value > 0;
  out.air_supply_c = !liquid && spec.supply_c ? *spec.supply_c : out.racks->air_supply_c.value;
  out.coolant_supply_c = liquid && spec.supply_c ? *spec.supply_c : out.racks->coolant_supply_c.value;
  return out;
}

RemovalPower yearly_removal(const CoolingParts& parts, Heat heat) {
  RemovalPower sum;
  constexpr double share = 1.0 / (months * hours);
  over_the_year(*parts.climate, [&](Outdoors outdoors) {
    const RemovalPower now = removal(parts, heat, outdoors);
    sum.pumps += share * now.pumps;
    sum.air_movers += share * now.air_movers;
    sum.rejection += share * now.rejection;
    sum.compressors += share * now.compressors;
    sum.water_l_per_s += share * now.water_l_per_s;
  });
  return sum;
}

RemovalPower hottest_removal(const CoolingParts& parts, Heat heat) {
  return removal(parts, heat, hottest(*parts.climate));
}

CoolingLoad size_cooling(const CoolingSpec& spec, const CoolingParts& parts, Heat rated, Heat mean, Watts machines,
                         Watts rack_air) {
  const RackCoolingPart& racks = *parts.racks;
  CoolingLoad out;
  out.kind = racks.id;
  out.liquid = rated.liquid;
  out.air = rated.air;
  out.rack_air = rack_air;
  out.air_supply_c = parts.air_supply_c;
  out.air_return_c = parts.air_supply_c + racks.air_rise_k.value;
  out.air_kg_per_s = air_kg_per_s(rated.air, racks.air_rise_k.value);
  out.air_m3_per_h = air_m3_per_h(out.air_kg_per_s);
  if (rated.liquid > Watts{}) {
    out.coolant_supply_c = parts.coolant_supply_c;
    out.coolant_return_c = parts.coolant_supply_c + racks.coolant_rise_k.value;
    out.coolant_l_per_min =
        coolant_l_per_min(rated.liquid, racks.coolant_rise_k.value, racks.coolant_heat_j_per_l_k.value);
  }
  if (parts.coolant_unit && rated.liquid > Watts{}) {
    const int group = PowerStageSpec().group;  // catcher groups of coolant units are as large as those of power modules
    const auto needed =
        static_cast<long long>(std::ceil(rated.liquid / parts.coolant_unit->capacity.value - site_rounding));
    out.coolant_unit = parts.coolant_unit->id;
    out.coolant_units = with_spares(std::max(1LL, needed), spec.redundancy, group);
  }
  const RemovalPower removal = yearly_removal(parts, mean);
  out.pue_share = removal.total() / machines;
  out.wue_l_per_kwh = removal.water_l_per_s * 3600 / machines.in(kilowatt);
  out.hottest_c = hottest(*parts.climate).dry_c;
  int running = 0;
  over_the_year(*parts.climate, [&](Outdoors now) { running += compressor_runs(parts, now, mean) ? 1 : 0; });
  out.compressor_share = static_cast<double>(running) / (months * hours);
  return out;
}

void judge_cooling(const CoolingParts& parts, std::vector<SiteVerdict>& verdicts) {
  const auto judge = [&](const HeatRejectionPart& plant, double supply_c, const char* what) {
    if (plant.carnot_share || !plant.approach_k) return;
    const double reached = sink_c(plant, hottest(*parts.climate)) + plant.approach_k->value;
    verdicts.push_back({fmt::format("{} on the hottest day", what), reached <= supply_c,
                        fmt::format("{} in a {} climate reaches {:.1f} C; {:.1f} C is required", plant.id,
                                    parts.climate->id, reached, supply_c),
                        "facility.cooling"});
  };
  if (parts.racks->liquid_share.value > 0) judge(*parts.liquid_rejection, parts.coolant_supply_c, "coolant");
  judge(*parts.air_rejection, parts.air_supply_c, "air");
}

double air_kg_per_s(Watts heat, double rise_k) {
  return heat.in(watt) / (air_j_per_kg_k * rise_k);
}

double air_m3_per_h(double kg_per_s) {
  return kg_per_s / air_kg_per_m3 * 3600;
}

double coolant_l_per_min(Watts heat, double rise_k, double heat_j_per_l_k) {
  return heat.in(watt)*60 / (rise_k * heat_j_per_l_k);
}

}  // namespace clusterwright
