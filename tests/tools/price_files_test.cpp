// SPDX-License-Identifier: Apache-2.0
// What a scenario's prices are, through files, "like" and --set.
#include "models/job/price_list.hpp"

#include "models/job/scenario_loader.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// The shipped scenario on one node with `prices` as given.
std::filesystem::path scenario_with(const ProgramRoom& room, const std::string& prices) {
  const std::string configs = CLUSTERWRIGHT_CONFIGS;
  return room.write("scenario.json", R"({"cluster": ")" + configs + R"(/clusters/h100-single-node.json",
    "transformer": ")" + configs + R"(/transformers/llama3-8b.json",
    "job": {"sequence": 4096, "global_batch": 16, "stack": "megatron-2024"})" +
                                         (prices.empty() ? "" : ", \"prices\": " + prices) + "}");
}

PriceList prices_of(const std::string& prices, const std::vector<std::string>& settings = {}) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  const ProgramRoom room;
  const Scenario scenario = load_scenario(scenario_with(room, prices), {settings, {}});
  std::vector<InputFile> inputs;
  return load_prices(scenario.source, parts(), inputs);
}

double electricity(const PriceList& prices) {
  return prices.electricity->value.in(dollar / kilowatt_hour);
}

}  // namespace

TEST_CASE("a scenario without prices has those of the default list", "[tools][money]") {
  const PriceList prices = prices_of("");
  CHECK(prices.name == shipped_prices("default").name);
  CHECK(electricity(prices) == Approx(electricity(shipped_prices("default"))));
}

TEST_CASE("one price of the default list can be set", "[tools][money]") {
  const PriceList prices = prices_of("", {"prices.electricity_usd_per_kwh=0.05"});
  CHECK(electricity(prices) == Approx(0.05));
  CHECK(prices.years->value == shipped_prices("default").years->value);
}

TEST_CASE("a list says what differs from another", "[tools][money]") {
  const PriceList prices =
      prices_of(R"({"like": "2024-h100", "parts_usd": {"DGX H100": 300000}, "colocation_usd_per_kw_month": 150})",
                {"prices.interest=0.1"});
  CHECK(prices.parts.at("DGX H100").value == 300'000 * dollar);
  CHECK(prices.parts.at("QM9700/QM9790").value == 36'000 * dollar);
  CHECK(prices.colocation);
  CHECK_FALSE(prices.facility_per_node);  // the other list's building goes with its price
  CHECK(prices.interest.value == 0.1);
  CHECK(electricity(prices) == Approx(0.078));
}

TEST_CASE("prices may be a file, and settings change it", "[tools][money]") {
  const std::string file = std::string("\"") + CLUSTERWRIGHT_CONFIGS + "/prices/2024-h100.json\"";
  CHECK(electricity(prices_of(file)) == Approx(0.078));
  CHECK(electricity(prices_of(file, {"prices.electricity_usd_per_kwh=0.2"})) == Approx(0.2));
  CHECK(prices_of(file, {"prices.name=mine"}).parts.size() == shipped_prices("2024-h100").parts.size());
}

TEST_CASE("wrong prices are refused by every command that reads the scenario", "[cli][money]") {
  const ProgramRoom room;
  scenario_with(room, R"({"like": "2025-h100"})");
  check_refused(room, "check scenario.json", "E0203", "2024-h100");
  scenario_with(room, R"({"like": "none", "years": 4, "electricity_usd_per_kwh": 0.1})");
  check_refused(room, "check scenario.json", "E0352", "the building has no price");
  scenario_with(room, R"({"facility_usd_per_kw": 1, "facility_usd_per_node": 1})");
  check_refused(room, "run scenario.json", "E0352", "scenario.json:3");
  scenario_with(room, R"({"parts_usd": {"DGX H1000": 1}})");
  check_refused(room, "check scenario.json", "E0203", "did you mean \"DGX H100\"?");
  scenario_with(room, "");
  check_refused(room, "run scenario.json --set prices.water_usd_per_m3=-1", "E0202", "--set prices.water_usd_per_m3");
  check_refused(room, "run scenario.json --set prices.facility_usd_per_kw=null --set prices.like=none", "E0104",
                "years");
  CHECK(room.run("check scenario.json").code == 0);
}

TEST_CASE("lists that refer to each other in a circle are refused", "[tools][money]") {
  const ProgramRoom room;
  room.write("a.json", R"({"like": "b", "years": 4})");
  const ReferenceReader read = [&](const std::filesystem::path&) { return read_json_file(room.at("a.json")); };
  JsonValue list = JsonValue::object({{"like", "default"}});
  std::string code;
  std::filesystem::create_directories(room.at("prices"));
  std::filesystem::create_directories(room.at("parts"));
  std::ofstream(room.at("prices") / "default.json") << "{}";
  std::ofstream(room.at("prices") / "b.json") << "{}";
  ::setenv("CLUSTERWRIGHT_CONFIGS", room.at("").c_str(), 1);
  try {
    filled_in_prices(list, read);
  } catch (const ConfigError& error) {
    code = error.diagnostics().front().code;
  }
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  CHECK(code == "E0501");
}
