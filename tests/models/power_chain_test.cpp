// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/power_chain.hpp"

#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const PowerPart& stage(const char* id) {
  return *find_part(shipped_parts().power_stages, id);
}

double efficiency_at(const PowerPart& part, double load) {
  const Watts rating = 1 * megawatt, output = load * rating;
  return output / (output + power_stage_loss(part, rating, output));
}

}  // namespace

TEST_CASE("every stage on sale has its stated efficiency at full load", "[models][facility]") {
  for (const PowerPart& part : shipped_parts().power_stages) {
    INFO(part.id);
    CHECK(efficiency_at(part, 1) == Approx(part.efficiency.value));
    CHECK(power_stage_loss(part, 1 * megawatt, Watts{}) == part.no_load_loss.value * megawatt);
  }
}

TEST_CASE("a UPS at a tenth of its load wastes more of it", "[models][facility]") {
  const PowerPart& ups = stage("UPS 1.5 MVA, double conversion");
  // 0.9 % without load, 1.2 % of it, and what is left to 1/0.96 - 1 at its square: 0.9 + 0.12 + 0.02 over 10
  CHECK(efficiency_at(ups, 0.1) == Approx(1 / (1 + 0.1041)).epsilon(1e-3));
  CHECK(efficiency_at(ups, 0.1) < efficiency_at(ups, 0.4));
  for (const char* id : {"UPS 1.5 MVA, double conversion", "UPS 1.5 MVA, eco mode", "PDU 500 kVA with transformer"})
    CHECK(efficiency_at(stage(id), 0.1) < stage(id).efficiency.value);
}

// Transformer 1.0 to 1.5 %, UPS 94 to 97 %, busway, circuit: a chain of these keeps 92 to 96 % (PWR-CHAIN).
TEST_CASE("losses from the grid to the racks add up stage by stage", "[models][facility]") {
  const PowerChainSpec spec = facility_of("air").power;
  const PowerChain chain(spec, shipped_parts(), 10 * megawatt, 2 * megawatt, {900, {}});
  const auto flows = chain.flows(10 * megawatt, 2 * megawatt);
  REQUIRE(flows.size() == spec.stages.size() + 1);
  CHECK(flows.front().output == 10 * megawatt);
  for (std::size_t i = 1; i + 1 < flows.size(); ++i)
    CHECK(flows[i].output.in(kilowatt) == Approx((flows[i - 1].output + flows[i - 1].loss).in(kilowatt)));
  // cooling and offices hang on the transformers
  CHECK((flows[3].output - flows[2].output - flows[2].loss).in(kilowatt) == Approx(2000 + 0.01 * 10'000));
  Watts lost;
  for (const auto& flow : flows) lost += flow.loss;
  CHECK(10 * megawatt / (10 * megawatt + lost) > 0.92);
  CHECK(10 * megawatt / (10 * megawatt + lost) < 0.96);
}

TEST_CASE("modules carry the load with the redundancy that is asked for", "[models][facility]") {
  for (const PowerStageLoad& stage :
       PowerChain(facility_of("air").power, shipped_parts(), 10 * megawatt, 2 * megawatt, {900, {}}).rated_loads()) {
    INFO(stage.part);
    CHECK(stage.load > 0);
    CHECK(stage.load_after_loss <= 1 + 1e-9);
    CHECK(stage.efficiency < 1);
  }
}

TEST_CASE("small loads take smaller modules, as far as a stage allows it", "[models][facility]") {
  PowerChainSpec spec = facility_of("air").power;
  const auto installed = [&](Watts machines) {
    Watts sum;
    for (const PowerStageLoad& stage :
         PowerChain(spec, shipped_parts(), machines, 0.2 * machines, {4, {}}).rated_loads())
      if (stage.kind != PowerStageKind::circuit && stage.kind != PowerStageKind::busway)
        sum += static_cast<double>(stage.modules) * stage.rating;
    return sum;
  };
  const auto transformer = [&](Watts machines) {
    return PowerChain(spec, shipped_parts(), machines, 0.2 * machines, {4, {}}).rated_loads().front().part;
  };
  CHECK(transformer(150 * kilowatt) == "MV transformer 250 kVA");
  CHECK(transformer(600 * kilowatt) == "MV transformer 1 MVA");
  CHECK(transformer(2 * megawatt) == "MV transformer 2.5 MVA");
  Watts before;
  for (double kilowatts = 50; kilowatts < 5'000; kilowatts *= 1.1) {
    INFO(kilowatts << " kW");
    CHECK(installed(kilowatts * kilowatt) >= before);  // no jump back
    before = installed(kilowatts * kilowatt);
  }
  for (PowerStageSpec& stage : spec.stages) stage.smaller = false;
  CHECK(transformer(150 * kilowatt) == "MV transformer 2.5 MVA");
}
