/// How heat leaves racks and building, and what that draws over a year.
#pragma once

#include <vector>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

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
