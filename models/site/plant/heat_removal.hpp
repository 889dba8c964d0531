/// How heat leaves racks and building, and what that draws over a year.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/site_verdict.hpp"
#include "sim/quantity.hpp"
#include "topology/facility_parts.hpp"
#include "topology/facility_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts.hpp

struct CoolingLoad {
  std::string kind;
  Watts liquid, air;                        ///< heat at rated load
  std::optional<double> coolant_l_per_min;  ///< of the whole hall
  double air_m3_per_h = 0;
  double air_kg_per_s = 0;
  Watts rack_air;  ///< heat that one compute rack leaves in the air
  double coolant_supply_c = 0, coolant_return_c = 0;
  double air_supply_c = 0, air_return_c = 0;
  double hottest_c = 0;         ///< outdoors
  double compressor_share = 0;  ///< of the year's hours in which a compressor runs
  std::string coolant_unit;
  long long coolant_units = 0;
  double pue_share = 0;      ///< power for cooling over power of the machines, mean of a year
  double wue_l_per_kwh = 0;  ///< water over energy of the machines, mean of a year
};

/// The parts that a facility names; pointers into the catalog.
struct CoolingParts {
  const RackCoolingPart* racks = nullptr;
  const HeatRejectionPart* liquid_rejection = nullptr;
  const HeatRejectionPart* air_rejection = nullptr;
  const ClimatePart* climate = nullptr;
  const CoolantUnitPart* coolant_unit = nullptr;  ///< none without liquid
  double air_supply_c = 0, coolant_supply_c = 0;
};

/// @pre the facility was checked (facility_check.hpp)
CoolingParts cooling_parts(const CoolingSpec& spec, const Catalog& catalog);

struct Heat {
  Watts liquid, air;
  Watts total() const { return liquid + air; }
};

/// Power to remove heat.
struct RemovalPower {
  Watts pumps;       ///< of coolant
  Watts air_movers;  ///< fans of the hall
  Watts rejection;   ///< fans and pumps outdoors
  Watts compressors;
  double water_l_per_s = 0;
  Watts total() const { return pumps + air_movers + rejection + compressors; }
};

/// In the mean of a year.
RemovalPower yearly_removal(const CoolingParts& parts, Heat heat);
/// In its hottest hour, for which the plant is sized.
RemovalPower hottest_removal(const CoolingParts& parts, Heat heat);

/// Flows, temperatures and units at rated heat. @param machines  mean power, for shares of the year
CoolingLoad size_cooling(const CoolingSpec& spec, const CoolingParts& parts, Heat rated, Heat mean, Watts machines,
                         Watts rack_air);

/// Whether plants without a compressor keep up on the hottest day; capacity after a loss of coolant units.
void judge_cooling(const CoolingParts& parts, std::vector<SiteVerdict>& verdicts);

/// Air at 1,005 J/(kg K) and 1.2 kg/m3.
double air_kg_per_s(Watts heat, double rise_k);
double air_m3_per_h(double kg_per_s);
/// Coolant in litres per minute.
double coolant_l_per_min(Watts heat, double rise_k, double heat_j_per_l_k);

}  // namespace clusterwright
