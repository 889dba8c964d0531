// SPDX-License-Identifier: Apache-2.0
// Money of the plant: redundancy, cooling and climate have a price, every price that is documented moves an answer.
#include <functional>
#include <string>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct Plant {
  std::string like = "air", redundancy = "n+1", climate = "temperate";
};

std::string fields_of(const Plant& plant) {
  const auto stage = [&](const char* part, const char* carries) {
    return fmt::format(R"({{"part": "{}", "redundancy": "{}", "carries": "{}"}})", part, plant.redundancy, carries);
  };
  return fmt::format(R"({{"power": {{"feeds": "{}", "most_feeds": 8, "stages": [{}, {}, {}]}},
                          "cooling": {{"climate": "{}", "redundancy": "{}"}}}})",
                     plant.redundancy, stage("MV transformer 2.5 MVA", "cooling"),
                     stage("UPS 1.5 MVA, double conversion", "pumps"), stage("Busway 1000 A, 415 V", "machines"),
                     plant.climate, plant.redundancy);
}

CostReport cost_in(const Plant& plant, const PriceList& prices, const Catalog& catalog = shipped_parts()) {
  const Cluster cluster = cluster_file("dgx-h100-127");
  return size_cluster(
             {cluster, with_own_parts(catalog, cluster.spec), facility_of(plant.like, fields_of(plant)), prices})
      .cost;
}

double capex(const Plant& plant) {
  return cost_in(plant, shipped_prices("default")).capex_total.in(dollar);
}

double chapter(const CostReport& cost, const std::string& name) {
  for (const CostShare& share : cost.capex)
    if (share.name == name) return share.amount.in(dollar);
  return 0;
}

/// Sums that a number of the price list may move.
std::vector<double> sums_of(const CostReport& cost) {
  const auto tonnes = [](const std::optional<CarbonUse>& carbon) { return carbon ? carbon->tonnes_per_year : 0; };
  return {tonnes(cost.carbon),
          tonnes(cost.low.carbon),
          tonnes(cost.high.carbon),
          cost.capex_total.in(dollar),
          cost.opex_total.in(dollar),
          cost.low.capex_total.in(dollar),
          cost.low.opex_total.in(dollar),
          cost.high.capex_total.in(dollar),
          cost.high.opex_total.in(dollar),
          cost.per_hour.total().in(dollar),
          cost.rent ? cost.rent->rent_per_hour.in(dollar) : 0};
}

}  // namespace

TEST_CASE("redundancy costs: no spare is cheaper than one, and one than two paths", "[laws][money]") {
  for (const char* like : {"air", "direct-to-chip"}) {
    INFO(like);
    CHECK(capex({like, "n"}) < capex({like, "n+1"}));
    CHECK(capex({like, "n+1"}) < capex({like, "2n"}));
  }
}

TEST_CASE("a hotter climate costs more to build for, and more to run", "[laws][money]") {
  for (const char* like : {"air", "direct-to-chip"}) {
    INFO(like);
    CHECK(capex({like, "n+1", "cold"}) < capex({like, "n+1", "temperate"}));
    CHECK(capex({like, "n+1", "temperate"}) < capex({like, "n+1", "hot dry"}));
    const auto energy = [&](const char* climate) {
      return cost_in({like, "n+1", climate}, shipped_prices("default")).per_hour.energy;
    };
    CHECK(energy("cold") < energy("temperate"));
    CHECK(energy("temperate") < energy("hot dry"));
  }
}

// 1,410 kW of machines and 85 kW of losses and lights: 1,495 kW at (600 + 1,700) / 2; three chillers of 1,400 kW at
// (400 + 800) / 2.
TEST_CASE("cooling costs what its heat costs, in the hall and outdoors", "[laws][money]") {
  const CostReport cost = cost_in({}, shipped_prices("default"));
  double hall = 0, outdoors = 0;
  for (const PricedItem& item : cost.items) {
    if (item.item.part == "contained air") hall = item.total().in(dollar);
    if (item.item.part == "chiller with free cooling") outdoors = item.total().in(dollar);
  }
  CHECK(hall == Approx(1495 * 1150).epsilon(0.01));
  CHECK(outdoors == Approx(3 * 1400 * 600));
  CHECK(chapter(cost, "cooling") == Approx(hall + outdoors));
  CHECK(chapter(cost_in({"direct-to-chip"}, shipped_prices("default")), "cooling") > 1.2 * (hall + outdoors));
}

// A US building of 2025-26 costs 7 to 15, typically 11 dollars for a watt of machines.
TEST_CASE("shell, grid, chain and cooling together cost what buildings cost", "[laws][money]") {
  const Cluster cluster = cluster_file("h100-3tier");
  const SizedCluster sized = size_cluster(
      {cluster, with_own_parts(shipped_parts(), cluster.spec), facility_of("air"), shipped_prices("default")});
  const auto plant = [](const std::vector<CostShare>& chapters) {
    double sum = 0;
    for (const CostShare& share : chapters)
      if (share.name == "building" || share.name == "power" || share.name == "cooling") sum += share.amount.in(dollar);
    return sum;
  };
  const double watts = sized.plan.rated.it.in(watt);
  CHECK(plant(sized.cost.capex) / watts == Approx(11).epsilon(0.05));
  CHECK(plant(sized.cost.low.capex) / watts == Approx(7).epsilon(0.15));
  CHECK(plant(sized.cost.high.capex) / watts == Approx(15).epsilon(0.15));
}

TEST_CASE("every number of the default price list moves a sum, at its value and at both ends", "[laws][money]") {
  const JsonValue document = read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "prices" / "default.json");
  // An adiabatic hall of H100, so that water and rent are paid.
  const auto sums = [](const JsonValue& prices) {
    const Cluster cluster = cluster_file("dgx-h100-127");
    const Facility facility = facility_of("air", R"({"cooling": {"rejection": "cooling tower", "supply_c": 30}})");
    return sums_of(size_cluster({cluster, shipped_parts(), facility, decode_record<PriceList>(prices)}).cost);
  };
  const std::vector<double> usual = sums(document);
  int moved = 0;
  const auto check = [&](const std::string& pointer, const JsonValue& number, double factor) {
    JsonValue changed = document;
    const_cast<JsonValue&>(*changed.at_pointer(pointer)) = JsonValue(number.as_number() * factor);
    INFO(pointer);
    CHECK(sums(changed) != usual);
    ++moved;
  };
  const auto check_price = [&](const std::string& pointer, const JsonValue& price) {
    check(pointer + "/value", price.at("value"), 0.999);
    if (price.find("low")) check(pointer + "/low", price.at("low"), 0.99);
    if (price.find("high")) check(pointer + "/high", price.at("high"), 1.01);
  };
  for (const auto& [key, member] : document.members()) {
    if (key == "goodput") continue;  // moves prices of tokens, which need a job
    if (key == "rents_usd_per_accelerator_hour")
      check(("/" + key) + "/H100-SXM/value", member.at("H100-SXM").at("value"), 0.999);
    else if (member.find("value"))
      check_price("/" + key, member);
  }
  CHECK(moved > 30);
}

TEST_CASE("every price of the catalog's plant moves a sum where the part is used", "[laws][money]") {
  const auto halved = [](Catalog& catalog, const std::string& part, const char* end) {
    const auto change = [&](std::map<std::string, Sourced<double>>& price) {
      if (price.contains(end)) price.at(end).value *= std::string(end) == "low" ? 0.9 : 1.1;
    };
    for (RackCoolingPart& one : catalog.rack_cooling)
      if (one.id == part) change(one.price_usd_per_kw);
    for (HeatRejectionPart& one : catalog.heat_rejection)
      if (one.id == part) change(one.price_usd_per_kw);
    for (PowerPart& one : catalog.power_stages)
      if (one.id == part) change(one.price_usd);
  };
  const PriceList prices = shipped_prices("default");
  for (const char* like : {"air", "direct-to-chip", "immersion"}) {
    const CostReport usual = cost_in({like}, prices);
    for (const PricedItem& item : usual.items)
      if (item.item.chapter == BillChapter::power || item.item.chapter == BillChapter::cooling)
        for (const char* end : {"low", "high"}) {
          Catalog catalog = shipped_parts();
          halved(catalog, item.item.part, end);
          INFO(like << ", " << item.item.part << ", " << end);
          const bool unit = item.item.part.starts_with("Row unit");  // its price is checked with the machines'
          CHECK((unit || sums_of(cost_in({like}, prices, catalog)) != sums_of(usual)));
        }
  }
}

TEST_CASE("nodes of a cloud are billed as rented: nothing is bought", "[laws][money]") {
  const Cluster cluster = cluster_file("aws-p5-512");
  const SizedCluster sized = size_cluster(
      {cluster, with_own_parts(shipped_parts(), cluster.spec), facility_of("air"), shipped_prices("default")});
  CHECK(sized.cost.rented);
  CHECK_FALSE(sized.cost.lower_bound());
  CHECK(sized.cost.capex_total == Dollars{});
  CHECK(sized.cost.per_hour.total().in(dollar) == Approx(2.95));  // of the list, whatever the use
  CHECK(sized.cost.low.per_hour.total().in(dollar) == Approx(1.99));
  CHECK(sized.cost.opex_total.in(dollar) == Approx(512 * 2.95 * 8766 * 0.85));
  PriceList none = shipped_prices("default");
  none.rents.clear();
  const SizedCluster unknown =
      size_cluster({cluster, with_own_parts(shipped_parts(), cluster.spec), facility_of("air"), none});
  CHECK(unknown.cost.lower_bound());
}
