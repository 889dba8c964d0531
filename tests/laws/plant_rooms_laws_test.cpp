// SPDX-License-Identifier: Apache-2.0
// Rooms of power and cooling around random sites.
#include <rapidcheck.h>

#include <map>
#include <string>

#include "models/site/plant/site_verdict.hpp"
#include "support/catch.hpp"
#include "support/random_sites.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct Box {
  double left, top, right, bottom;
};

template <class Placed>
Box box_of(const Placed& placed) {
  const double x = placed.x.in(meter), y = placed.y.in(meter);
  return {x, y, x + placed.length.in(meter), y + placed.width.in(meter)};
}

bool overlap(const Box& a, const Box& b) {
  constexpr double touch = 1e-6;
  return a.left < b.right - touch && b.left < a.right - touch && a.top < b.bottom - touch && b.top < a.bottom - touch;
}

bool inside(const Box& inner, const Box& outer) {
  constexpr double touch = 1e-6;
  return inner.left >= outer.left - touch && inner.right <= outer.right + touch && inner.top >= outer.top - touch &&
         inner.bottom <= outer.bottom + touch;
}

/// Units that the plan counts and that stand on a floor, by part.
std::map<std::string, long long> counted(const SitePlan& plan) {
  std::map<std::string, long long> units;
  for (const PlantUnits& plant : plan.cooling.plants)
    if (plant.units > 0) units[plant.part] += plant.units;
  const CoolantUnitPart* coolant = find_part(shipped_parts().coolant_units, plan.cooling.coolant_unit);
  if (coolant && !coolant->rack_units) units[coolant->id] += plan.cooling.coolant_units;
  for (const PowerStageLoad& stage : plan.power_stages)
    if (stage.kind != PowerStageKind::busway && stage.kind != PowerStageKind::circuit)
      units[stage.part] += stage.modules;
  return units;
}

}  // namespace

TEST_CASE("every plant that is counted stands in one room, and nothing overlaps", "[laws][facility]") {
  site_law("rooms", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    std::map<std::string, long long> placed;
    std::vector<Box> rooms{{0, 0, plan.floor.length.in(meter), plan.floor.width.in(meter)}};
    for (const PlantRoom& room : plan.floor.rooms) {
      RC_ASSERT(!room.units.empty());
      const Box walls = box_of(room);
      for (const Box& other : rooms) RC_ASSERT(!overlap(walls, other));
      rooms.push_back(walls);
      std::vector<Box> units;
      for (const PlacedPlant& unit : room.units) {
        ++placed[unit.part];
        const Box floor = box_of(unit);
        RC_ASSERT(inside(floor, walls));
        for (const Box& other : units) RC_ASSERT(!overlap(floor, other));
        units.push_back(floor);
      }
    }
    RC_ASSERT(placed == counted(plan));
  });
}
