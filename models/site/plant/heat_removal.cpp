// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/heat_removal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/parts/usual_price.hpp"

namespace clusterwright {

namespace {

constexpr double kelvin_at_0c = 273.15;
constexpr double air_j_per_kg_k = 1005;
constexpr double air_kg_per_m3 = 1.2;
/// Least temperature difference of a compressor, held even when it is cold outside.
constexpr double least_lift_k = 10;

/// Water leaves a tower this much above the wet bulb where the catalog gives no approach, and is in the mean this much
/// warmer than where it leaves.
constexpr double tower_approach_k = 5, half_tower_range_k = 4;
/// Coldest water to the condenser of a chiller.
constexpr double least_condenser_c = 18;

/// Outdoor temperature that bounds a plant.
double sink_c(const HeatRejectionPart& plant, Outdoors outdoors) {
  return plant.evaporates == Evaporation::never ? outdoors.dry_c : outdoors.wet_c;
}

bool free_cooling(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors) {
  return plant.approach_k && sink_c(plant, outdoors) + plant.approach_k->value <= supply_c;
}

bool compressor_runs(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors) {
  return plant.carnot_share && !free_cooling(plant, supply_c, outdoors);
}

/// Coefficient of performance: heat moved over power of the compressor.
double performance(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors) {
  const double lift = std::max(least_lift_k, sink_c(plant, outdoors) - supply_c + plant.lift_k.value);
  return plant.carnot_share->value * (supply_c + kelvin_at_0c) / lift;
}

/// Heat that a tower passes on by evaporating water.
Watts latent_heat(const HeatRejectionPart& plant, double supply_c, Outdoors outdoors, Watts heat) {
  const double approach = plant.approach_k ? plant.approach_k->value : tower_approach_k;
  const double least = compressor_runs(plant, supply_c, outdoors) ? least_condenser_c : supply_c;
  return latent_share(std::max(least, outdoors.wet_c + approach) + half_tower_range_k, outdoors) * heat;
}

/// Heat that water takes from outdoor air before it enters the hall, where it warms by `rise_k`.
Watts adiabatic_heat(const HeatRejectionPart& plant, double supply_c, double rise_k, Outdoors outdoors, Watts heat) {
  const double approach = plant.approach_k ? plant.approach_k->value : 0;
  const double reached = std::max(supply_c - approach, outdoors.wet_c);
  return std::max(0.0, outdoors.dry_c - reached) / rise_k * heat;
}

/// Stream of coolant or air that a plant cools.
struct Stream {
  double supply_c, rise_k;
  Watts heat;
};

void reject(const HeatRejectionPart& plant, const Stream& stream, Outdoors outdoors, RemovalPower& out) {
  out.rejection += plant.fan_share.value * stream.heat;
  Watts carried = stream.heat;
  if (compressor_runs(plant, stream.supply_c, outdoors)) {
    const Watts compressor = stream.heat / performance(plant, stream.supply_c, outdoors);
    out.compressors += compressor;
    carried += compressor;
  }
  if (plant.evaporates == Evaporation::always)
    out.water_l_per_s += water_l_per_s(latent_heat(plant, stream.supply_c, outdoors, carried));
  if (plant.evaporates == Evaporation::hot_hours)
    out.water_l_per_s += water_l_per_s(adiabatic_heat(plant, stream.supply_c, stream.rise_k, outdoors, stream.heat));
}

RemovalPower removal_at(const CoolingParts& parts, Heat heat, Outdoors outdoors) {
  const RackCoolingPart& racks = *parts.racks;
  RemovalPower out;
  out.pumps = racks.pump_share.value * heat.liquid;
  out.air_movers = racks.air_mover_share.value * heat.air;
  out.rejected = {heat.liquid + out.pumps, heat.air + out.air_movers};
  if (heat.liquid > Watts{})
    reject(*parts.liquid_rejection, {parts.coolant_supply_c, racks.coolant_rise_k.value, out.rejected.liquid}, outdoors,
           out);
  reject(*parts.air_rejection, {parts.air_supply_c, racks.air_rise_k.value, out.rejected.air}, outdoors, out);
  return out;
}

RemovalPower yearly_removal(const CoolingParts& parts, Heat heat) {
  RemovalPower sum;
  constexpr double share = 1.0 / hours_visited;
  over_the_year(*parts.climate, [&](Outdoors outdoors) {
    const RemovalPower now = removal_at(parts, heat, outdoors);
    sum.pumps += share * now.pumps;
    sum.air_movers += share * now.air_movers;
    sum.rejection += share * now.rejection;
    sum.compressors += share * now.compressors;
    sum.water_l_per_s += share * now.water_l_per_s;
    sum.rejected = now.rejected;
  });
  return sum;
}

long long whole_units(Watts load, Watts each) {
  return std::max(1LL, static_cast<long long>(std::ceil(load / each - site_rounding)));
}

/// Catcher groups of plants are as large as those of power modules.
long long with_spare_units(long long needed, Redundancy redundancy) {
  return with_spares(needed, redundancy, PowerStageSpec().group);
}

/// Most small units that carry a heat together, spares apart: beyond, pumps and controls of each cost more than a
/// larger unit. An estimate.
constexpr long long most_small_units = 2;

bool is_built_small(Watts heat, Watts each) {
  return heat < large_plant && whole_units(heat, each) <= most_small_units;
}

/// Units of a plant in each size that it is made in.
struct PlantSizes {
  const std::string& part;
  const std::optional<Sourced<Watts>>& unit;
  const UnitFloor& floor;
  const std::vector<PlantSize>& small;
};

PlantSizes air_units(const RackCoolingPart& part) {
  return {part.id, part.air_unit, part, part.small_air_units};
}

PlantSizes outdoor_units(const HeatRejectionPart& part) {
  return {part.id, part.unit, part, part.small_units};
}

/// Units of the size that takes the least capacity with its spares; of equal ones the fewer.
PlantUnits count_units(std::string what, const PlantSizes& sizes, Watts heat, Redundancy redundancy) {
  PlantUnits best{std::move(what), sizes.part, heat, std::nullopt, 0, 0, {}};
  if (!sizes.unit) return best;
  const auto consider = [&](Watts each, const UnitFloor& floor) {
    const long long needed = whole_units(heat, each), units = with_spare_units(needed, redundancy);
    const Watts least = best.each ? *best.each * static_cast<double>(best.units) : Watts{};
    const Watts capacity = each * static_cast<double>(units);
    if (best.each && (capacity > least || (capacity == least && units >= best.units))) return;
    best.each = each, best.needed = needed, best.units = units, best.floor = floor;
  };
  consider(sizes.unit->value, sizes.floor);
  for (const PlantSize& size : sizes.small)
    if (is_built_small(heat, size.unit.value)) consider(size.unit.value, size);
  return best;
}

std::vector<PlantUnits> count_plants(const CoolingSpec& spec, const CoolingParts& parts, const CoolingState& rated) {
  const Heat& rejected = rated.removal.rejected;
  std::vector<PlantUnits> out;
  out.push_back(count_units("air units of the hall", air_units(*parts.racks), rated.heat.air, spec.redundancy));
  const bool one_plant = parts.liquid_rejection == parts.air_rejection;
  if (rejected.liquid > Watts{} && !one_plant)
    out.push_back(count_units("heat rejection of the liquid", outdoor_units(*parts.liquid_rejection), rejected.liquid,
                              spec.redundancy));
  out.push_back(count_units(one_plant || rejected.liquid == Watts{} ? "heat rejection" : "heat rejection of the air",
                            outdoor_units(*parts.air_rejection), one_plant ? rejected.total() : rejected.air,
                            spec.redundancy));
  return out;
}

/// Units of the size that costs least with its spares, of equal ones the fewer; the named one where it stands in racks
/// or prices are not known.
void count_coolant_units(const CoolingParts& parts, Watts liquid, Redundancy redundancy, CoolingLoad& out) {
  const auto units = [&](const CoolantUnitPart& unit) {
    return with_spare_units(whole_units(liquid, unit.capacity.value), redundancy);
  };
  const auto effort = [&](const CoolantUnitPart& unit) {
    const long long count = units(unit);
    return std::pair(static_cast<double>(count) * usual_price_usd(unit.price_usd).value_or(0), count);
  };
  const CoolantUnitPart* best = parts.coolant_unit;
  for (const CoolantUnitPart* unit : parts.coolant_sizes)
    if (is_built_small(liquid, unit->capacity.value) && effort(*unit) < effort(*best)) best = unit;
  out.coolant_unit = best->id;
  out.coolant_units = units(*best);
}

void add_coolant(const CoolingSpec& spec, const CoolingParts& parts, Watts liquid, CoolingLoad& out) {
  if (liquid == Watts{}) return;
  const RackCoolingPart& racks = *parts.racks;
  out.coolant_supply_c = parts.coolant_supply_c;
  out.coolant_return_c = parts.coolant_supply_c + racks.coolant_rise_k.value;
  out.coolant_l_per_min = coolant_l_per_min(liquid, racks.coolant_rise_k.value, racks.coolant_heat_j_per_l_k.value);
  if (parts.coolant_unit) count_coolant_units(parts, liquid, spec.redundancy, out);
}

}  // namespace

namespace {

std::vector<const CoolantUnitPart*> smaller_coolant_units(const CoolantUnitPart& named, const Catalog& catalog) {
  std::vector<const CoolantUnitPart*> sizes;
  if (named.rack_units || !usual_price_usd(named.price_usd)) return sizes;
  for (const CoolantUnitPart& unit : catalog.coolant_units)
    if (!unit.rack_units && usual_price_usd(unit.price_usd) && unit.capacity.value < named.capacity.value)
      sizes.push_back(&unit);
  return sizes;
}

}  // namespace

int in_rack_units(const CoolingParts& parts, Redundancy redundancy) {
  const bool inside = parts.coolant_unit && parts.coolant_unit->rack_units && parts.racks->liquid_share.value > 0;
  if (!inside) return 0;
  return redundancy == Redundancy::n ? 1 : 2;
}

CoolingParts cooling_parts(const CoolingSpec& spec, const Catalog& catalog) {
  CoolingParts out;
  out.racks = find_part(catalog.rack_cooling, spec.racks);
  out.liquid_rejection = find_part(catalog.heat_rejection, spec.rejection);
  out.air_rejection =
      spec.air_rejection.empty() ? out.liquid_rejection : find_part(catalog.heat_rejection, spec.air_rejection);
  out.climate = find_part(catalog.climates, spec.climate);
  if (!spec.coolant_unit.empty()) {
    out.coolant_unit = find_part(catalog.coolant_units, spec.coolant_unit);
    out.coolant_sizes = smaller_coolant_units(*out.coolant_unit, catalog);
  }
  const bool liquid = out.racks->liquid_share.value > 0;
  out.air_supply_c = !liquid && spec.supply_c ? *spec.supply_c : out.racks->air_supply_c.value;
  out.coolant_supply_c = liquid && spec.supply_c ? *spec.supply_c : out.racks->coolant_supply_c.value;
  return out;
}

RemovalPower heat_removal(const CoolingParts& parts, Heat heat, Weather weather) {
  return weather == Weather::whole_year ? yearly_removal(parts, heat)
                                        : removal_at(parts, heat, hottest(*parts.climate));
}

double compressor_share(const CoolingParts& parts, Heat heat) {
  int running = 0;
  over_the_year(*parts.climate, [&](Outdoors now) {
    const bool runs = compressor_runs(*parts.air_rejection, parts.air_supply_c, now) ||
                      (heat.liquid > Watts{} && compressor_runs(*parts.liquid_rejection, parts.coolant_supply_c, now));
    running += runs ? 1 : 0;
  });
  return static_cast<double>(running) / hours_visited;
}

CoolingLoad size_cooling(const CoolingSpec& spec, const CoolingParts& parts, const CoolingState& rated,
                         const CoolingState& mean, Watts rack_air, long long racks_with_nodes) {
  const RackCoolingPart& racks = *parts.racks;
  CoolingLoad out;
  out.kind = racks.id;
  out.liquid = rated.heat.liquid;
  out.air = rated.heat.air;
  out.rack_air = rack_air;
  out.air_supply_c = parts.air_supply_c;
  out.air_return_c = parts.air_supply_c + racks.air_rise_k.value;
  out.air_kg_per_s = air_kg_per_s(rated.heat.air, racks.air_rise_k.value);
  out.air_m3_per_h = air_m3_per_h(out.air_kg_per_s);
  add_coolant(spec, parts, rated.heat.liquid, out);
  if (const int inside = in_rack_units(parts, spec.redundancy); inside > 0)
    out.coolant_units = inside * racks_with_nodes;
  out.plants = count_plants(spec, parts, rated);
  out.pue_share = mean.removal.total() / mean.machines;
  out.wue_l_per_kwh = mean.removal.water_l_per_s * 3600 / mean.machines.in(kilowatt);
  out.peak_water_l_per_s = rated.removal.water_l_per_s;
  out.hottest_c = hottest(*parts.climate).dry_c;
  out.compressor_share = compressor_share(parts, mean.heat);
  return out;
}

void judge_cooling(const CoolingParts& parts, std::vector<SiteVerdict>& verdicts) {
  const auto judge = [&](const HeatRejectionPart& plant, double supply_c, const char* what) {
    if (plant.carnot_share || !plant.approach_k) return;
    const double reached = sink_c(plant, hottest(*parts.climate)) + plant.approach_k->value;
    verdicts.push_back({fmt::format("{} on the hottest day", what), reached <= supply_c,
                        fmt::format("{} in a {} climate reaches {:.1f} C; {:.1f} C is required", plant.id,
                                    parts.climate->id, reached, supply_c),
                        "facility.cooling", true});
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
