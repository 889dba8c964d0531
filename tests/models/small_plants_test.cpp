// SPDX-License-Identifier: Apache-2.0
// Plants for less than a megawatt of heat: sizes, counts and what they cost.
#include <string>

#include "models/site/plant/heat_removal.hpp"
#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Plants for so much heat in the air of a hall with contained aisles and chillers with free cooling.
CoolingLoad cooling_of(Watts air, const std::string& redundancy = "n+1", const char* like = "air",
                       Watts liquid = Watts{}) {
  const Facility facility = facility_of(like, fmt::format(R"({{"cooling": {{"redundancy": "{}"}}}})", redundancy));
  const CoolingParts parts = cooling_parts(facility.cooling, shipped_parts());
  const Heat heat{liquid, air};
  const CoolingState rated{heat, heat_removal(parts, heat, Weather::design_day), air + liquid};
  return size_cooling(facility.cooling, parts, rated, rated, 10 * kilowatt, 1);
}

struct Built {
  double each_kw = 0;
  long long units = 0;
  bool operator==(const Built&) const = default;
};

Built outdoors(Watts air, const std::string& redundancy = "n+1") {
  const PlantUnits plant = cooling_of(air, redundancy).plants.back();
  return {plant.each->in(kilowatt), plant.units};
}

}  // namespace

// Air movers add 6 %: 14.7 kW in the hall are 15.6 outdoors, 56.6 are 60, 200 are 212, 380 are 403, 900 are 954.
TEST_CASE("plants are built of the size that takes the least capacity", "[models][facility]") {
  CHECK(outdoors(14.7 * kilowatt) == Built{20, 2});  // 40 kW; of 50 kW two are 100
  CHECK(outdoors(56.6 * kilowatt) == Built{50, 3});  // 150 kW; of 100 kW two are 200; of 20 kW three would carry it
  CHECK(outdoors(200 * kilowatt) == Built{200, 3});  // 600 kW; of 350 kW two are 700
  CHECK(outdoors(380 * kilowatt) == Built{500, 2});  // 1,000 kW; of 350 kW three are 1,050
  CHECK(outdoors(900 * kilowatt) == Built{500, 3});  // 1,500 kW; of 1.4 MW two are 2,800
  CHECK(outdoors(14.7 * kilowatt, "n") == Built{20, 1});
  CHECK(outdoors(380 * kilowatt, "2n") == Built{500, 2});
}

// 1 MW outdoors is 943.4 kW in the hall.
TEST_CASE("a megawatt of heat has large units", "[models][facility]") {
  CHECK(outdoors(943 * kilowatt) == Built{500, 3});
  CHECK(outdoors(944 * kilowatt) == Built{1400, 2});
  CHECK(outdoors(1.49 * megawatt) == Built{1400, 3});  // 1.58 MW: two carry it
}

// 115 kW of liquid: two units of 200 kW at $62,500 cost $125,000, of 600 kW at $125,000 twice as much, of 1.3 MW at
// $210,000 more. 1.2 MW keep what the facility names.
TEST_CASE("coolant units are those that cost least", "[models][facility]") {
  const auto units = [](Watts liquid) {
    const CoolingLoad load = cooling_of(50 * kilowatt, "n+1", "rack-scale", liquid);
    return fmt::format("{} {}", load.coolant_units, load.coolant_unit);
  };
  CHECK(units(115 * kilowatt) == "2 Row unit 200 kW");
  CHECK(units(350 * kilowatt) == "3 Row unit 200 kW");  // $187,500; two of 600 kW are $250,000
  CHECK(units(450 * kilowatt) == "2 Row unit 600 kW");  // three of 200 kW would carry it
  CHECK(units(1.2 * megawatt) == "2 Row unit 1.3 MW");
}

// 15 kW of heat in the hall and 40 kW of chillers, where two of 1.4 MW were 2,800.
TEST_CASE("cooling of one node is billed by the small units that it needs", "[models][facility]") {
  const Cluster cluster =
      cluster_of(std::string(R"({"name": "one", "accelerators": 8, "node": {"part": "DGX H100"}, "fabric": {}})"));
  const SitePlan plan = planned(cluster, facility_of("room"));
  CHECK(billed(plan, BillChapter::cooling, "contained air") == 15);
  CHECK(billed(plan, BillChapter::cooling, "chiller with free cooling") == 40);
}

TEST_CASE("every size of a plant is smaller than its unit and has a floor", "[models][facility]") {
  const auto check = [](const std::string& id, const std::optional<Sourced<Watts>>& unit,
                        const std::vector<PlantSize>& sizes) {
    INFO(id);
    CHECK_FALSE(sizes.empty());
    for (const PlantSize& size : sizes) {
      CHECK(size.unit.value < unit->value);
      CHECK(size.floor_length);
      CHECK(size.floor_width);
    }
  };
  for (const HeatRejectionPart& plant : shipped_parts().heat_rejection) check(plant.id, plant.unit, plant.small_units);
  for (const RackCoolingPart& racks : shipped_parts().rack_cooling)
    check(racks.id, racks.air_unit, racks.small_air_units);
}
