// SPDX-License-Identifier: Apache-2.0
/// Heat of racks and building: power and water that remove it, over a year and on the hottest day.
///
/// A plant without a compressor reaches the outdoor temperature (wet bulb where it evaporates water) plus its approach.
/// A plant with a compressor runs it only when that is above the supply temperature; it then moves, per watt of
/// compressor,
///   carnot_share (supply + 273.15) / max(10 K, outdoors - supply + lift).
/// The year is 12 months x 24 hours of a climate with a yearly and a daily cosine.
///
/// Example: 1 MW of heat, air supplied at 25 C, 35 C outdoors, approach 8 K, lift 15 K, carnot_share 0.5: free cooling
/// would reach 43 C, so the compressor runs, 0.5 x 298.15 / 25 = 6.0 W of heat per watt, and draws 168 kW. At 10 C
/// outdoors free cooling reaches 18 C and the compressor rests.
///
/// Plants: equal units with spares, of the size that takes the least capacity of those of which two carry the heat;
/// from 1 MW on of the large unit.
///
/// Example: 15.6 kW with one spare. Units of 20 kW: 2, or 40 kW; of 50 kW: 2, or 100 kW; of 1.4 MW: 2, or 2.8 MW. Two
/// of 20 kW are built. For 60 kW those of 20 kW drop out, since three would carry it; 3 of 50 kW are 150 kW, 2 of 100
/// kW 200 kW: three of 50 kW are built.
///
/// Water: see outdoor_air.hpp. Pumps and fans of the hall heat what they move.
///
/// @source ASHRAE Handbook, Fundamentals (Carnot refrigeration); docs/models/site.md, "Cooling, PUE and WUE"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/outdoor_air.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// Heat from which on plants are built of their large units; below, of the size that takes the least capacity.
inline constexpr Watts large_plant = 1 * megawatt;

/// How `PlantUnits::what` begins for plants outdoors.
inline constexpr const char* heat_rejection_words = "heat rejection";

/// Units of a plant of which one or more may fail.
struct PlantUnits {
  std::string what;  ///< "heat rejection, liquid"
  std::string part;
  Watts heat;                       ///< heat on the design day, everything at its nameplate
  std::optional<Watts> each;        ///< heat that one unit moves; absent: not known, and no units are counted
  long long needed = 0, units = 0;  ///< units without and with spares
  UnitFloor floor;                  ///< floor of one unit
};

struct CoolingLoad {
  std::string kind;
  Watts liquid, air;                        ///< heat at rated load: machines, losses indoors, lights and offices
  std::optional<double> coolant_l_per_min;  ///< flow of the whole hall
  double air_m3_per_h = 0;
  double air_kg_per_s = 0;
  Watts rack_air;  ///< heat that one compute rack gives to the air
  double coolant_supply_c = 0, coolant_return_c = 0;
  double air_supply_c = 0, air_return_c = 0;
  double hottest_c = 0;         ///< outdoor temperature of the design day
  double compressor_share = 0;  ///< share of the year's hours in which a compressor runs
  std::string coolant_unit;
  long long coolant_units = 0;
  std::vector<PlantUnits> plants;  ///< air units of the hall and plants outdoors
  double pue_share = 0;            ///< power for cooling over power of the machines, mean of a year
  double wue_l_per_kwh = 0;        ///< water over energy of the machines, mean of a year
  double peak_water_l_per_s = 0;   ///< water on the design day, everything at its nameplate
};

/// Parts that a facility names; pointers into the catalog.
struct CoolingParts {
  const RackCoolingPart* racks = nullptr;
  const HeatRejectionPart* liquid_rejection = nullptr;
  const HeatRejectionPart* air_rejection = nullptr;
  const ClimatePart* climate = nullptr;
  const CoolantUnitPart* coolant_unit = nullptr;  ///< the one that is named; null without liquid
  double air_supply_c = 0, coolant_supply_c = 0;
  /// Smaller units on a floor, which stand in for one on a floor where less is pumped.
  std::vector<const CoolantUnitPart*> coolant_sizes = {};
};

/// Coolant units inside each rack of nodes: one, or two where the facility asks for a spare, since a spare elsewhere
/// cannot serve it; 0 where units stand outside or nothing is cooled by liquid.
int in_rack_units(const CoolingParts& parts, Redundancy redundancy);

/// @pre the facility was checked (topology/cluster/facility_spec.hpp)
CoolingParts cooling_parts(const CoolingSpec& spec, const Catalog& catalog);

struct Heat {
  Watts liquid, air;
  Watts total() const { return liquid + air; }
};

/// Power that removes heat, and the heat that leaves the building.
struct RemovalPower {
  Watts pumps;       ///< pumps of coolant
  Watts air_movers;  ///< fans of the hall
  Watts rejection;   ///< fans and pumps outdoors
  Watts compressors;
  double water_l_per_s = 0;
  Heat rejected;  ///< heat to the plants: that of the hall, of pumps and of air movers
  Watts total() const { return pumps + air_movers + rejection + compressors; }
};

/// Outdoors at which heat is removed: the mean over a year, or the hottest hour of the design day, for which the power
/// chain and plants are sized.
enum class Weather { whole_year, design_day };

RemovalPower heat_removal(const CoolingParts& parts, Heat heat, Weather weather);

/// Share of the hours of a year in which a compressor runs.
double compressor_share(const CoolingParts& parts, Heat heat);

/// Heat of the hall, and its removal, in one state of the machines.
struct CoolingState {
  Heat heat;
  RemovalPower removal;
  Watts machines;  ///< power of all machines
};

/// Flows, temperatures and units.
/// @param rated     design day, everything at its nameplate
/// @param mean      mean of a year
/// @param rack_air  heat that one compute rack gives to the air, at its rating
CoolingLoad size_cooling(const CoolingSpec& spec, const CoolingParts& parts, const CoolingState& rated,
                         const CoolingState& mean, Watts rack_air, long long racks_with_nodes);

/// Verdicts on whether plants without a compressor reach their supply temperature on the hottest day.
void judge_cooling(const CoolingParts& parts, std::vector<SiteVerdict>& verdicts);

/// Mass flow of air that warms by `rise_k`; 1,005 J/(kg K).
double air_kg_per_s(Watts heat, double rise_k);
/// Volume flow of air; 1.2 kg/m3.
double air_m3_per_h(double kg_per_s);
/// Flow of coolant that warms by `rise_k`.
double coolant_l_per_min(Watts heat, double rise_k, double heat_j_per_l_k);

}  // namespace clusterwright
