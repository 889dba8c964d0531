// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/made_up_site.hpp"
#include "support/times_in.hpp"
#include "tools/output/cost_output.hpp"
#include "tools/output/floor_drawing.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/size_json.hpp"
#include "tools/output/size_report.hpp"
#include "tools/output/size_tables.hpp"

using namespace clusterwright;

namespace {

/// Fields of one line of CSV.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(fields_of(line));
  return lines;
}

JsonValue json_of(const SizedCluster& sized) {
  return size_to_json(made_up::context("size"), sized);
}

}  // namespace

TEST_CASE("the JSON of a sized cluster has every key that scripts rely on", "[tools]") {
  const JsonValue document = json_of(made_up::site());
  for (const char* pointer : {"/schema_version",
                              "/tool/name",
                              "/seed",
                              "/inputs/0/sha256",
                              "/scenario",
                              "/gpus",
                              "/nodes",
                              "/spare_nodes",
                              "/racks/total",
                              "/racks/compute",
                              "/switches/total",
                              "/switches/compute/leaf",
                              "/cables/0/lengths/0/length_m",
                              "/transceivers/total",
                              "/it_kw",
                              "/it_kw_rated",
                              "/it_kw_peak",
                              "/facility_kw",
                              "/facility_kw_rated",
                              "/pue",
                              "/cooling/liquid_kw",
                              "/power/stages/0/load",
                              "/power/feeds/feeds",
                              "/power/tree/mean/parts/0/kw",
                              "/power/tree/rated/kw",
                              "/floor/length_m",
                              "/floor/width_m",
                              "/floor/rows",
                              "/floor/racks/0/x_m",
                              "/mass_kg",
                              "/storage/appliances",
                              "/capex_usd",
                              "/opex_usd_per_year",
                              "/cost/usd_per_gpu_hour/total",
                              "/node_power/mean_kw",
                              "/bill/0/price_each_usd",
                              "/verdicts/0/holds",
                              "/warnings/0",
                              "/step/mfu"}) {
    INFO(pointer);
    const JsonValue* const value = document.at_pointer(pointer);
    REQUIRE(value);
    CHECK_FALSE(value->is_null());
  }
}

TEST_CASE("the JSON of a sized cluster agrees with itself and with what was planned", "[tools]") {
  for (const SizedCluster& sized : made_up::small_and_large()) {
    const JsonValue document = json_of(sized);
    CHECK(document.at("gpus").as_integer() == 8 * document.at("nodes").as_integer());
    CHECK(document.at("racks").at("total").as_integer() == static_cast<std::int64_t>(sized.plan.floor.racks.size()));
    CHECK(document.at("floor").at("racks").elements().size() == sized.plan.floor.racks.size());
    CHECK(document.at("it_kw").as_number() == Approx(sized.plan.mean.it.in(kilowatt)));
    CHECK(document.at("facility_kw").as_number() ==
          Approx(document.at("pue").as_number() * document.at("it_kw").as_number()));
    std::int64_t switches = 0;
    for (const auto& [network, tiers] : document.at("switches").members())
      if (network != "total")
        for (const auto& [tier, count] : tiers.members()) switches += count.as_integer();
    CHECK(document.at("switches").at("total").as_integer() == switches);
    for (const JsonValue& cable : document.at("cables").elements()) {
      std::int64_t links = 0;
      for (const JsonValue& bin : cable.at("lengths").elements()) links += bin.at("links").as_integer();
      CHECK(links == cable.at("links").as_integer());
    }
    double capex = 0;
    for (const auto& [chapter, usd] : document.at("cost").at("capex_usd").members()) capex += usd.as_number();
    CHECK(capex == Approx(document.at("capex_usd").as_number()));
    CHECK_NOTHROW(write_json(document));
  }
}

TEST_CASE("what is not known about a sized cluster is null, and its key stays", "[tools]") {
  SizedCluster sized = made_up::unpriced_site();
  sized.step.reset();
  sized.storage.reset();
  sized.cost.rent.reset();
  sized.cost.usd_per_million_tokens.reset();
  const JsonValue document = json_of(sized);
  for (const char* pointer : {"/step", "/storage", "/cost/rent", "/cost/usd_per_million_tokens", "/scale_up"}) {
    INFO(pointer);
    REQUIRE(document.at_pointer(pointer));
    CHECK(document.at_pointer(pointer)->is_null());
  }
  CHECK(document.at("cost").at("lower_bound").as_boolean());
  const auto& bill = document.at("bill").elements();
  CHECK(
      std::any_of(bill.begin(), bill.end(), [](const JsonValue& line) { return line.at("price_each_usd").is_null(); }));
}

TEST_CASE("the purchasing list in CSV sums to the capex of every chapter", "[tools]") {
  for (const SizedCluster& sized : {made_up::site(), made_up::unpriced_site()}) {
    const auto lines = read_csv(size_csv(sized));
    REQUIRE(lines.size() == sized.cost.items.size() + 1);
    CHECK(lines[0] == std::vector<std::string>{"chapter", "part", "use", "count", "length_m", "rated_w_each",
                                               "mass_kg_each", "price_each_usd", "price_total_usd", "price_source"});
    std::map<std::string, double> totals;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      REQUIRE(lines[i].size() == lines[0].size());
      if (lines[i][8].empty()) continue;
      totals[lines[i][0]] += std::stod(lines[i][8]);
      CHECK(std::stod(lines[i][3]) * std::stod(lines[i][7]) == Approx(std::stod(lines[i][8])));
    }
    for (const CostShare& share : sized.cost.capex) {
      INFO(share.name);
      CHECK(totals[share.name] == Approx(share.amount.in(dollar)));
    }
  }
}

TEST_CASE("a plan without prices still lists what to buy", "[tools]") {
  SizedCluster sized = made_up::site();
  sized.cost = {};
  const auto lines = read_csv(size_csv(sized));
  CHECK(lines.size() == sized.plan.bill.size() + 1);
  CHECK(lines[1][7].empty());
}

TEST_CASE("a text floor plan has a character per rack", "[tools]") {
  const FloorPlan floor = made_up::site().plan.floor;
  const std::string text = text_floor_plan(floor);
  const std::string rows = text.substr(text.find('\n'));
  const auto of = [&](char c) { return std::count(rows.begin(), rows.end(), c); };
  CHECK(of('C') == 32);
  CHECK(of('N') == 4);
  CHECK(of('K') == 1);
  CHECK(of('S') == 1);
  CHECK(text.find("C compute, N network, K core, S service") != std::string::npos);
}

TEST_CASE("a text floor plan of thousands of racks counts them and stays short", "[tools]") {
  const std::string wide = text_floor_plan(made_up::site(made_up::large_site_shape).plan.floor);
  CHECK(times_in(wide, "\n") <= 6);
  CHECK(wide.find("1-8  4C 1N 8C") != std::string::npos);
  const std::string tall = text_floor_plan(made_up::site({300, 1, 1, 16, 24}).plan.floor);
  CHECK(tall.find("1-16  CCCCNCCCCK\n") != std::string::npos);
  CHECK(times_in(tall, "\n") == 4);  // heading, rows with a core rack, with a service rack, with neither
}

TEST_CASE("an empty place between racks shows in a text floor plan", "[tools]") {
  FloorPlan floor;
  floor.rows = 1;
  floor.racks.push_back(made_up::rack(RackRole::compute, 1, 0, 0));
  floor.racks.push_back(made_up::rack(RackRole::storage, 1, 0, 2));
  CHECK(text_floor_plan(floor) == "Floor plan (C compute, D storage)\n      1  C.D\n");
}

TEST_CASE("the next step is the failing constraint, then missing prices, then what binds a rack", "[tools]") {
  CHECK(size_next_step(made_up::failing_site()) ==
        "change facility.cooling.racks: cooling of a rack does not hold (40.8 kW of 30 kW)");
  CHECK(size_next_step(made_up::unpriced_site())
            .starts_with("add prices of MMA4Z00-NS, MMA4Z00-NS400, rack-42u to the price list"));
  CHECK(size_next_step(made_up::site()) == "cooling limits a rack to 4 nodes; without it rack units would allow 5");
  SizedCluster bound = made_up::site();
  bound.plan.floor.limits.resize(1);
  CHECK(size_next_step(bound) == "replace the prices of catalog with your own quotes");
}

TEST_CASE("a failing constraint is told in every format", "[tools]") {
  const ResultContext context = made_up::context("size");
  const SizedCluster failing = made_up::failing_site();
  for (const OutputFormat format : {OutputFormat::table, OutputFormat::markdown, OutputFormat::html}) {
    const std::string text = render_size(format, context, failing);
    CHECK(text.find("1 of 4 constraints does not hold") != std::string::npos);
    CHECK(text.find("40.8 kW of 30 kW") != std::string::npos);
  }
  const JsonValue document = size_to_json(context, failing);
  CHECK_FALSE(document.at("holds").as_boolean());
  CHECK_FALSE(document.at("verdicts").elements()[0].at("holds").as_boolean());
  CHECK(size_page(context, failing).find("class=\"verdict no\"") != std::string::npos);
}

TEST_CASE("money without every price is said to be a lower bound", "[tools]") {
  const std::string text = size_text(made_up::context("size"), made_up::unpriced_site());
  CHECK(text.find("To buy              at least $") != std::string::npos);
  CHECK(text.find("a lower bound") != std::string::npos);
}

TEST_CASE("power and money are written with three digits and their unit", "[tools]") {
  CHECK(power_text(98 * watt) == "98.0 W");
  CHECK(power_text(1720 * watt) == "1.72 kW");
  CHECK(power_text(20 * megawatt) == "20.0 MW");
  CHECK(money_text(2.305 * dollar) == "$2.31");
  CHECK(money_text(25000 * dollar) == "$25,000");
  CHECK(money_text(43.24e6 * dollar) == "$43.2 M");
  CHECK(money_text(1.5e9 * dollar) == "$1.50 bn");
}

TEST_CASE("the page of a sized cluster is one page without script or request, with words for every chart", "[tools]") {
  for (const SizedCluster& sized : made_up::small_and_large()) {
    const std::string page = size_page(made_up::context("size"), sized);
    CHECK(times_in(page, "<script") == 0);
    CHECK(times_in(page, "http") == 1);  // the http-equiv of the policy itself
    CHECK(times_in(page, "url(") == 0);
    CHECK(times_in(page, "role=\"img\"") == 8);  // floor, power, capex, hour; wide and narrow
    CHECK(times_in(page, "<desc id=") == 8);
    CHECK(page.size() < 600000);
  }
}

TEST_CASE("hostile names stay text in every format of a sized cluster", "[tools]") {
  const std::string attack = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\033[0m";
  SizedCluster sized = made_up::site();
  sized.name = sized.accelerator = sized.plan.node_part = sized.plan.node.source = attack;
  for (SwitchTotal& s : sized.plan.switches) s.network = s.tier = s.part = attack;
  for (CableTotal& c : sized.plan.cables) c.network = c.link = c.part = c.kind = c.lower_module = attack;
  for (PlacedRack& rack : sized.plan.floor.racks)
    rack.name = rack.contents.empty() ? attack : rack.contents[0].what = attack;
  for (RackLimit& limit : sized.plan.floor.limits) limit.arithmetic = attack;
  for (SiteVerdict& v : sized.plan.verdicts) v.what = v.arithmetic = v.field = attack;
  for (PowerNode& node : sized.plan.mean.tree.parts) node.name = attack;
  for (PowerStageLoad& stage : sized.plan.power_stages) stage.part = attack;
  for (PricedItem& item : sized.cost.items) item.item.part = item.item.use = item.source = attack;
  for (CostShare& share : sized.cost.capex) share.name = attack;
  sized.plan.warnings = {attack};
  sized.plan.cooling.kind = sized.storage->part = sized.cost.price_list = attack;
  const ResultContext context = made_up::context("size");
  const std::string page = size_page(context, sized);
  CHECK(times_in(page, "<script") == 0);
  CHECK(times_in(page, "<img") == 0);
  CHECK(times_in(size_markdown(context, sized), "<script") == 0);
  for (const OutputFormat format :
       {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown, OutputFormat::html})
    CHECK(render_size(format, context, sized).find('\033') == std::string::npos);
}

TEST_CASE("a plan of nothing is shown in every format without numbers that are none", "[tools]") {
  for (const OutputFormat format :
       {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown, OutputFormat::html}) {
    const std::string text = render_size(format, made_up::context("size"), SizedCluster{});
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
  }
}

TEST_CASE("the table of rows has every rack of the floor plan", "[tools]") {
  for (const SizedCluster& sized : made_up::small_and_large()) {
    const ResultTable table = floor_row_table(sized.plan.floor);
    std::int64_t racks = 0;
    for (const auto& row : table.rows) {
      int first = 0, last = 0;
      if (std::sscanf(row[0].text.c_str(), "%d to %d", &first, &last) < 2) last = first;
      for (std::size_t c = 1; c + 2 < row.size(); ++c) racks += row[c].count * (last - first + 1);
    }
    CHECK(racks == static_cast<std::int64_t>(sized.plan.floor.racks.size()));
  }
}
