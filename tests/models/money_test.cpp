// SPDX-License-Identifier: Apache-2.0
#include <tuple>
#include "models/site/sizing/cost_report.hpp"
#include "sim/json_reader.hpp"

#include "support/catch.hpp"
#include "support/prices.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

BillItem item(BillChapter chapter, const std::string& part, long long count) {
  BillItem one;
  one.chapter = chapter;
  one.part = part;
  one.count = count;
  return one;
}

/// Nodes of eight H100 under a full fat tree of 64-port switches: 1, 3 or 5 switch ports for each of 1, 2 or 3 tiers.
BillOfMaterials h100_fat_tree(long long nodes, int tiers) {
  const long long ports = 2 * tiers - 1, accelerators = 8 * nodes;
  return {item(BillChapter::compute, "DGX H100", nodes),
          item(BillChapter::network, "QM9700/QM9790", accelerators * ports / 64),
          item(BillChapter::transceivers, "400G SR4 single-port (MMA4Z00-NS400)", accelerators),
          item(BillChapter::transceivers, "2x400G SR8 twin-port (MMA4Z00-NS)", accelerators * ports / 2),
          item(BillChapter::cables, "MPO-12 APC OM4 fibre", accelerators * tiers)};
}

CostReport cost_of(const BillOfMaterials& bill, const PriceList& prices, int accelerators) {
  return price_cluster({bill, parts(), prices, accelerators, accelerators / 8, {}, 0, {}, {}, 0, {}});
}

/// Per accelerator.
double capex_of_fat_tree(int nodes, int tiers) {
  return cost_of(h100_fat_tree(nodes, tiers), shipped_prices("2024-h100"), 8 * nodes).capex_total.in(dollar) /
         (8 * nodes);
}

double share(const std::vector<CostShare>& shares, const std::string& name) {
  for (const CostShare& one : shares)
    if (one.name == name) return one.amount.in(dollar);
  return -1;
}

/// One accelerator for $50,000 that draws 1.275 kW with a tenth more for the rest, at a PUE of 1.25 and $0.078/kWh.
CostRequest one_accelerator(const BillOfMaterials& bill, const PriceList& prices) {
  const Watts it = 1.275 * 1.1 * kilowatt;
  return {bill, parts(), prices, 1, 1, it, 0, it, 1.25 * it, 0, {}};
}

const BillOfMaterials one_h100 = {item(BillChapter::compute, "H100-SXM", 1)};

PriceList fifty_thousand() {
  PriceList prices = plain_prices(0.078, 5);
  prices.parts["H100-SXM"].value = 50'000 * dollar;
  return prices;
}

}  // namespace

TEST_CASE("a debt is repaid in equal years", "[models][money]") {
  CHECK(capital_recovery_factor(0.08, 4) == Approx(0.301921).epsilon(1e-5));
  CHECK(capital_recovery_factor(0, 5) == 0.2);
  CHECK(capital_recovery_factor(1e-9, 5) == Approx(0.2).epsilon(1e-8));
  double debt = 1;  // what is left after each payment
  for (int i = 0; i < 7; ++i) debt = debt * 1.06 - capital_recovery_factor(0.06, 7);
  CHECK(debt == Approx(0).margin(1e-12));
}

TEST_CASE("a node, its share of switches and cables, and of a building", "[models][money]") {
  // 310,000/8 + 50,000/8 + 36,000/64 a switch port + 1,320 for the link of a node and 1,240 for each above
  CHECK(capex_of_fat_tree(64, 1) == Approx(46'883).epsilon(1e-4));
  CHECK(capex_of_fat_tree(128, 2) == Approx(49'248).epsilon(1e-4));
  CHECK(capex_of_fat_tree(4096, 3) == Approx(51'613).epsilon(1e-4));
}

TEST_CASE("capital and energy of one accelerator and hour", "[models][money]") {
  PriceList prices = fifty_thousand();
  const CostReport report = price_cluster(one_accelerator(one_h100, prices));
  CHECK(report.per_hour.capital.in(dollar) == Approx(1.14).epsilon(1e-3));   // 50,000 / 5 years
  CHECK(report.per_hour.energy.in(dollar) == Approx(0.1367).epsilon(1e-3));  // 1.275 x 1.1 x 1.25 x 0.078
  CHECK(report.energy_share == Approx(0.107).epsilon(2e-3));
  prices.interest.value = 0.08;
  prices.years->value = 4;
  CHECK(price_cluster(one_accelerator(one_h100, prices)).per_hour.capital.in(dollar) == Approx(1.722).epsilon(1e-3));
}

TEST_CASE("hours without work are paid by those with it", "[models][money]") {
  PriceList prices = fifty_thousand();
  const CostPerHour always = price_cluster(one_accelerator(one_h100, prices)).per_hour;
  prices.utilisation.value = 0.5;
  const CostPerHour half = price_cluster(one_accelerator(one_h100, prices)).per_hour;
  CHECK(half.capital == 2 * always.capital);
  CHECK(half.energy.in(dollar) == Approx(2 * always.energy.in(dollar)));
  prices.idle_power_share.value = 0.2;  // (0.5 + 0.2 x 0.5) / 0.5
  const CostReport idle = price_cluster(one_accelerator(one_h100, prices));
  CHECK(idle.per_hour.energy.in(dollar) == Approx(1.2 * always.energy.in(dollar)));
  CHECK(share(idle.opex, "energy") == Approx(0.6 * 0.078 * 1.275 * 1.1 * 1.25 * 8766));
}

TEST_CASE("what a year costs is maintenance, people, space, energy and water", "[models][money]") {
  const BillOfMaterials bill = {item(BillChapter::compute, "H100-SXM", 10),
                                item(BillChapter::racks, "48U 800x1200", 3)};
  PriceList prices = fifty_thousand();
  prices.parts["48U 800x1200"].value = 5'000 * dollar;
  prices.maintenance_share.value = 0.02;
  prices.installation_share.value = 0.1;
  prices.staff.value = 100'000 * dollar / year;
  prices.staff_per_rack.value = 2'000 * dollar / year;
  prices.water.value = 3 * dollar / cubic_meter;
  prices.facility_per_node.reset();
  prices.colocation = Sourced<DollarsPerJoule>{150 * dollar / (kilowatt * month)};
  const CostReport report =
      price_cluster({bill, parts(), prices, 10, 2, 20 * kilowatt, 3, 10 * kilowatt, 13 * kilowatt, 1.8, {}});
  CHECK(share(report.capex, "compute") == 500'000);
  CHECK(share(report.capex, "racks") == 15'000);
  CHECK(share(report.capex, "installation") == Approx(51'500));
  CHECK(share(report.capex, "building") == -1);
  CHECK(share(report.opex, "maintenance") == Approx(0.02 * 515'000));
  CHECK(share(report.opex, "staff") == Approx(106'000));
  CHECK(share(report.opex, "rent of space") == Approx(20 * 150 * 12));
  CHECK(share(report.opex, "energy") == Approx(13 * 8766 * 0.078));
  CHECK(share(report.opex, "water") == Approx(10 * 8766 * 1.8 * 3 / 1000));
}

TEST_CASE("the building is paid by rated power or by node, and covers what it says", "[models][money]") {
  const BillOfMaterials bill = {item(BillChapter::power, "UPS 1.5 MVA, double conversion", 2),
                                item(BillChapter::cooling, "Row unit 600 kW", 1)};
  PriceList prices = plain_prices(0.1, 5);
  const auto capex = [&] {
    return price_cluster({bill, parts(), prices, 8, 3, 2 * megawatt, 0, {}, {}, 0, {}}).capex_total.in(dollar);
  };
  prices.facility_per_node->value = 50'000 * dollar;
  CHECK(capex() == 150'000);
  prices.facility_per_node.reset();
  prices.facility_per_power = Sourced<DollarsPerWatt>{9'000 * dollar / kilowatt};
  CHECK(capex() == Approx(18e6));
  prices.building_covers = {BillChapter::cooling};
  CHECK(capex() == Approx(18e6 + 2 * 525'000));  // the middle of 350,000 and 700,000
}

TEST_CASE("tokens cost the hours that make progress", "[models][money]") {
  PriceList prices = fifty_thousand();
  prices.goodput.value = 0.8;
  CostRequest request = one_accelerator(one_h100, prices);
  CHECK_FALSE(price_cluster(request).usd_per_million_tokens);
  request.tokens_per_second = 500;
  const CostReport report = price_cluster(request);
  // 1.277 dollars an hour, 500 x 3600 x 0.8 tokens an hour
  CHECK(*report.usd_per_million_tokens == Approx(report.per_hour.total().in(dollar) / 1.44).epsilon(1e-9));
}

TEST_CASE("rent above what an hour costs is a reason to buy", "[models][money]") {
  PriceList prices = fifty_thousand();
  CHECK_FALSE(price_cluster(one_accelerator(one_h100, prices)).rent);
  const auto at = [&](double rent) {
    prices.rent = Sourced<DollarsPerSecond>{rent * dollar / hour};
    return *price_cluster(one_accelerator(one_h100, prices)).rent;
  };
  CHECK_FALSE(at(1.2).buy);
  CHECK_FALSE(at(1.2).break_even_utilisation);
  CHECK_FALSE(at(0.1).break_even_months);  // less than energy alone
  CHECK(at(2.5).buy);
  CHECK(*at(2.5).break_even_utilisation == Approx((50'000 / 5.0 / 8766 + 0.13674) / 2.5).epsilon(1e-4));
  CHECK(*at(2.5).break_even_months == Approx(50'000 / ((2.5 - 0.13674) * 8766) * 12).epsilon(1e-4));
}

TEST_CASE("a price comes from the list, else from the catalog", "[models][money]") {
  PriceList prices = plain_prices(0.1, 5);
  const auto price = [&](const char* part) { return price_of(part, parts(), prices); };
  CHECK(*price("H100-SXM").each == 30'000 * dollar);  // a list price goes before the range
  CHECK(price("H100-SXM").source == "catalog: list price (HF-HW)");
  CHECK(*price("QM9700/QM9790").each == 43'000 * dollar);
  CHECK(price("QM9700/QM9790").source.find("at 50 % of the range from $36000 to $50000") != std::string::npos);
  prices.part_position.value = 1;
  CHECK(*price("QM9700/QM9790").each == 50'000 * dollar);
  for (const auto& [end, gpu, switch_price] :
       {std::tuple(PriceEnd::low, 25'000.0, 36'000.0), std::tuple(PriceEnd::high, 40'000.0, 50'000.0)}) {
    const PriceList there = prices.at_end(end);
    CHECK(price_of("H100-SXM", parts(), there).each->in(dollar) == gpu);
    CHECK(price_of("QM9700/QM9790", parts(), there).each->in(dollar) == switch_price);
    CHECK(price_of("contained air", parts(), there).each->in(dollar) == (end == PriceEnd::low ? 600 : 1700));
  }
  prices.parts["QM9700/QM9790"] = Sourced<Dollars>{36'000 * dollar, "quote of 2026-03", true};
  CHECK(*price("QM9700/QM9790").each == 36'000 * dollar);
  CHECK(price("QM9700/QM9790").source == "prices: quote of 2026-03");
  for (const char* sold : {"48U 800x1200", "PDU 500 kVA with transformer", "Row unit 600 kW", "DDN AI400X2",
                           "2U service node", "Cat 6A", "ConnectX-7 NDR"})
    CHECK(price(sold).each);
}

// Connectors $65 and $1.50 a metre, from $28 to $102 and from $0.60 to $2.40.
TEST_CASE("fibre is paid by the piece and by the metre", "[models][money]") {
  const char* const fibre = "MPO-12 APC OM4 fibre";
  PriceList prices = plain_prices(0.1, 5);
  const auto price = [&](double meters, PriceEnd end = PriceEnd::typical) {
    return price_of_cable(fibre, meters * meter, parts(), prices.at_end(end)).each->in(dollar);
  };
  CHECK(price(10) == Approx(65 + 10 * 1.5));
  CHECK(price(100) == Approx(65 + 100 * 1.5));
  CHECK(price(10, PriceEnd::low) == Approx(28 + 10 * 0.6));
  CHECK(price(10, PriceEnd::high) == Approx(102 + 10 * 2.4));
  BillOfMaterials bill = {item(BillChapter::cables, fibre, 3), item(BillChapter::cables, fibre, 2)};
  bill[0].length = 10 * meter;
  bill[1].length = 30 * meter;
  CHECK(cost_of(bill, prices, 8).capex_total.in(dollar) == Approx(3 * 80 + 2 * 110));
  prices.parts[fibre] = Sourced<Dollars>{80 * dollar, "quote", true};
  CHECK(price(10) == 80);  // a quote for the piece is for every length
  CHECK(price(100) == 80);
  prices.parts_per_m[fibre] = Sourced<DollarsPerMeter>{2 * dollar / meter, "quote", true};
  CHECK(price(100) == Approx(80 + 200));
  prices.parts.clear();
  CHECK(price(100) == Approx(65 + 200));
  CHECK(price_of_cable("Cat 6A", 30 * meter, parts(), prices).each == price_of("Cat 6A", parts(), prices).each);
}

TEST_CASE("a node costs its share of a machine, or its accelerators and more", "[models][money]") {
  PriceList prices = plain_prices(0.1, 5);
  CHECK(price_of("GB200 compute tray", parts(), prices).each->in(dollar) == Approx(3e6 / 18));
  prices.node_over_accelerators.value = 1.29;
  const PartPrice node = price_of("DGX H100", parts(), prices);
  CHECK(node.each->in(dollar) == Approx(8 * 30'000 * 1.29));
  CHECK(node.source == "8 x H100-SXM at $30000 x 1.29: catalog: list price (HF-HW)");
  prices.parts["DGX H100"].value = 310'000 * dollar;
  CHECK(*price_of("DGX H100", parts(), prices).each == 310'000 * dollar);
}

// 1.275 kW x 1.1 x 1.25 from the grid over 8,766 h are 15,368 kWh; at 481 g 7.39 t. In use half of the hours, all of
// them at full power: 7,392 kg / 4,383 h = 1.687 kg an hour.
TEST_CASE("carbon follows the energy from the grid", "[models][money]") {
  PriceList prices = fifty_thousand();
  const auto carbon = [&] { return price_cluster(one_accelerator(one_h100, prices)).carbon; };
  CHECK_FALSE(carbon());  // the list states none
  prices.carbon_g_per_kwh = Ranged<double>{Sourced<double>{481, "mean of the world"}};
  prices.utilisation.value = 0.5;
  CHECK(carbon()->tonnes_per_year == Approx(7.392).epsilon(1e-3));
  CHECK(carbon()->kg_per_accelerator_hour == Approx(1.687).epsilon(1e-3));
  prices.idle_power_share.value = 0;
  CHECK(carbon()->tonnes_per_year == Approx(7.392 / 2).epsilon(1e-3));
  prices.carbon_g_per_kwh.low = 30;
  prices.carbon_g_per_kwh.high = 962;
  const CostReport report = price_cluster(one_accelerator(one_h100, prices));
  CHECK(report.high.carbon->tonnes_per_year == Approx(2 * report.carbon->tonnes_per_year));
  CHECK(report.low.carbon->tonnes_per_year == Approx(30.0 / 481 * report.carbon->tonnes_per_year));
}

TEST_CASE("parts without a price are named once", "[models][money]") {
  BillOfMaterials bill = one_h100;
  for (const char* part : {"Palomar OCS (TPU v4)", "TPU v5p chip", "Palomar OCS (TPU v4)"})
    bill.push_back(item(BillChapter::network, part, 4));
  const CostReport report = cost_of(bill, fifty_thousand(), 8);
  CHECK(report.unpriced == std::vector<std::string>{"Palomar OCS (TPU v4)", "TPU v5p chip"});
  CHECK(report.capex_total == 50'000 * dollar);
}

TEST_CASE("shipped price lists are whole", "[models][money]") {
  for (const char* name : {"default", "2024-h100"}) {
    INFO(name);
    const PriceList prices = shipped_prices(name);
    CHECK(prices.like == "none");
    check_price_list(prices, parts(), JsonValue::object());
    CHECK(prices.utilisation.source != "default");
    CHECK(prices.goodput.source != "default");
    CHECK(prices.node_over_accelerators.source != "default");
  }
}

namespace {

/// The code of the first error of a list that is otherwise whole.
std::string code_of(const std::string& members) {
  const std::string text = R"({"electricity_usd_per_kwh": 0.1, "years": 4, )" + members + "}";
  try {
    const JsonValue json = read_json(std::make_shared<const SourceText>("prices.json", text));
    check_price_list(decode_record<PriceList>(json), parts(), json);
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    CHECK(first.places.front().source);
    return first.code;
  }
  return "";
}

}  // namespace

TEST_CASE("a list with impossible prices is refused, with the place", "[models][money]") {
  const std::string node = R"("facility_usd_per_node": 50000)";
  CHECK(code_of(node) == "");
  CHECK(code_of(node + R"(, "water_usd_per_m3": -1)") == "E0202");
  CHECK(code_of(node + R"(, "parts_usd": {"DGX H100": -5})") == "E0202");
  CHECK(code_of(node + R"(, "parts_usd": {"DGX H101": 5})") == "E0203");
  CHECK(code_of(node + R"(, "utilisation": 0)") == "E0202");
  CHECK(code_of(node + R"(, "building_covers": ["roof"])") == "E0203");
  CHECK(code_of(node + R"(, "facility_usd_per_kw": 9000)") == "E0352");
  CHECK(code_of(node + R"(, "colocation_usd_per_kw_month": 150)") == "E0352");
  CHECK(code_of(R"("interest": 0.08)") == "E0352");
  const auto without_life = [](const char* text) {
    const JsonValue json = read_json(std::make_shared<const SourceText>("prices.json", text));
    check_price_list(decode_record<PriceList>(json), parts(), json);
  };
  CHECK_THROWS_AS(without_life(R"({"years": 0, "electricity_usd_per_kwh": 0.1, "facility_usd_per_node": 1})"),
                  ConfigError);
  CHECK_THROWS_AS(without_life(R"({"electricity_usd_per_kwh": 0.1, "facility_usd_per_node": 1})"), ConfigError);
  CHECK_THROWS_AS(without_life(R"({"years": 4, "facility_usd_per_node": 1})"), ConfigError);
}
