// SPDX-License-Identifier: Apache-2.0
/// Rooms of power and cooling around a hall.
///
/// Air units and coolant units stand in galleries at both ends of the rows, where their air enters the aisles. UPS
/// modules and distribution units stand in a power room along the hall, and transformers and plants outdoors in a yard
/// behind it. Units of one kind stand in rows along the wall; each takes its floor of the catalog, lanes included.
///
/// Example: 14 fan walls of 3.6 x 2.7 m at a hall of 15 m across the rows: 7 in each gallery, 4 to a row, two rows: two
/// galleries of 15 x 5.4 m.
///
/// Not counted: generators, batteries apart from their UPS, pump rooms, corridors, offices, roads.
#pragma once

#include <string>
#include <vector>

#include "models/site/plant/floor_plan.hpp"

namespace clusterwright {

struct Catalog;         // topology/parts/catalog.hpp
struct CoolingLoad;     // models/site/plant/heat_removal.hpp
struct PowerStageLoad;  // models/site/plant/power_chain.hpp

/// Rooms around a hall, those without units left out.
/// @param warnings  gets the parts of which the catalog says no floor
std::vector<PlantRoom> place_plants(const FloorPlan& hall, const CoolingLoad& cooling,
                                    const std::vector<PowerStageLoad>& stages, const Catalog& catalog,
                                    std::vector<std::string>& warnings);

}  // namespace clusterwright
