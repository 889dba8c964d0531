// SPDX-License-Identifier: Apache-2.0
// `clusterwright size` as a user runs it: own parts, constraints that fail, wrong input.
#include <fmt/format.h>

#include "support/program_room.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// The first thing that does not hold; FAILs where everything does.
JsonValue broken(const JsonValue& result) {
  for (const JsonValue& verdict : result.at("verdicts").elements())
    if (!verdict.at("holds").as_boolean()) return verdict;
  FAIL("everything holds");
  return {};
}

/// Exit code 1, all numbers, and first of all the constraint that does not hold.
void check_broken(const std::string& settings, const std::string& what, const std::string& arithmetic,
                  const std::string& field, const std::string& cluster = superpod_file) {
  const JsonValue result = sized(cluster + settings, 1);
  INFO(settings);
  CHECK_FALSE(result.at("holds").as_boolean());
  CHECK(number(result, "/capex_usd") > 0);
  const JsonValue verdict = broken(result);
  CHECK(verdict.at("what").as_text() == what);
  INFO(verdict.at("arithmetic").as_text());
  CHECK(has(verdict.at("arithmetic").as_text(), arithmetic));
  CHECK(has(verdict.at("field").as_text(), field));
}

void check_refused_setting(const std::string& setting, const std::string& code, const std::string& words) {
  check_refused("size " + superpod_file + "-o out.json --set " + setting, code, words);
}

/// Warnings without the remark on switches in a common row, which small halls of several rows get.
std::vector<std::string> other_warnings(const JsonValue& result) {
  std::vector<std::string> out;
  for (const JsonValue& warning : result.at("warnings").elements())
    if (!has(warning.as_text(), "whatever stops that row stops the network")) out.push_back(warning.as_text());
  return out;
}

}  // namespace

// --- Own parts -------------------------------------------------------------------------------------------------------

TEST_CASE("a cluster may bring its racks, servers and cooling", "[cli][size]") {
  const ProgramRoom room;
  room.write("cluster.json", sixteen_nodes(R"({"part": "Box"})", R"(, "parts": {
    "nodes": [{"id": "Box", "accelerator_id": "H100-SXM", "accelerator_count": 8, "nic_id": "ConnectX-7 NDR",
      "nic_count": 8, "height_u": 6, "mass_kg": 100, "max_power_kw": 9, "typical_power_kw": 7, "host_power_w": 2000,
      "price_usd": {"low": 200000, "high": 300000}}],
    "racks": [{"id": "My rack", "height_u": 50, "width_m": 0.7, "depth_m": 1.2, "height_m": 2.4, "mass_kg": 150,
      "static_load_kg": 1500, "price_usd": {"low": 1000, "high": 1000}}],
    "rack_cooling": [{"id": "My doors", "capacity_kw": 30, "liquid_share": 0.5, "air_capacity_kw": 20,
      "server_fan_share": 0.1, "air_supply_c": 24, "coolant_supply_c": 20, "air_rise_k": 15, "coolant_rise_k": 10,
      "coolant_heat_j_per_l_k": 4000, "air_mover_share": 0.1, "pump_share": 0.02}]},
  "facility": {"rack": {"frame": "My rack"}, "cooling": {"racks": "My doors", "coolant_unit": "Row unit 600 kW"}})"));
  const JsonValue result = sized(room, "cluster.json");
  CHECK(result.at("floor").at("frame").as_text() == "My rack");
  CHECK(number(result, "/floor/nodes_per_rack") == 3);  // 30 kW / 9 kW
  CHECK(number(result, "/racks/compute") == 6);         // 16 / 3
  CHECK(result.at("cooling").at("kind").as_text() == "My doors");
  CHECK(number(result, "/cooling/liquid_kw") == Approx(0.5 * 16 * 9));
  CHECK(number(result, "/cooling/coolant_units") == 2);  // one, and one more
  CHECK(number(result, "/node_power/rated_kw") == 9);
  CHECK(other_warnings(result).empty());
  CHECK(number(result, "/floor/racks/0/mass_kg") == 150 + 3 * 100);
}

TEST_CASE("a cluster that names no server is planned with one of the catalog, and says so", "[cli][size]") {
  const JsonValue result = sized(shipped_file("clusters/h100-single-node"));
  REQUIRE_FALSE(result.at("warnings").elements().empty());
  CHECK(result.at("warnings").elements()[0].as_text() ==
        "racks are planned with DGX H100: the cluster names no server");
}

TEST_CASE("a node that nobody knows how to place is an error", "[cli][size]") {
  check_refused("size " + shipped_file("clusters/consumer-gpus-wan") + "-o out.json", "E0350",
                "describe one under \"parts\" of the cluster, with height_u, mass_kg and max_power_kw");
  check_refused("size " + shipped_file("clusters/consumer-gpus-wan") + "-o out.json", "E0350", ":6:11  (/node)");
}

// --- Constraints that do not hold ------------------------------------------------------------------------------------

TEST_CASE("a node above the limit of its rack cannot be built", "[cli][size]") {
  check_broken("--set facility.rack.power_limit_kw=10", "power limit", "one DGX H100 does not fit: 10 kW / 10.2 kW",
               "facility.rack");
  check_broken("--set facility.rack.reserved_u=41", "rack units", "one DGX H100 does not fit: 7 U free / 8 U",
               "facility.rack");
}

TEST_CASE("a table says first what does not hold", "[cli][size]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("size " + superpod_file + "--set facility.rack.power_limit_kw=10");
  CHECK(outcome.code == 1);
  CHECK(outcome.err.empty());
  const std::size_t verdict = outcome.out.find("one DGX H100 does not fit: 10 kW / 10.2 kW");
  CHECK(verdict < outcome.out.find("\nSwitches\n"));
}

TEST_CASE("a hall may be too small along and across its rows", "[cli][size]") {
  // 39 racks in rows of 20: 3 m of margins + 20 x 0.8 m, and 3 m + 2 x 1.2 m of racks + an aisle of 1.8 m between.
  const std::string hall =
      "--set facility.hall.racks_per_row=20 --set facility.hall.length_m=10 --set facility.hall.width_m=";
  check_broken(hall + "6", "length of the hall", "need 19.0 m; the hall has 10.0 m", "facility.hall.length_m");
  const JsonValue both = sized(superpod_file + hall + "6", 1);
  CHECK(both.at("verdicts").elements()[1].at("what").as_text() == "width of the hall");
  CHECK_FALSE(both.at("verdicts").elements()[1].at("holds").as_boolean());
  CHECK(has(both.at("verdicts").elements()[1].at("arithmetic").as_text(), "need 7.2 m; the hall has 6.0 m"));
  check_broken("--set facility.hall.length_m=10.2 --set facility.hall.width_m=14.9", "width of the hall", "need 15.0 m",
               "facility.hall.width_m");
  CHECK(sized(superpod_file + "--set facility.hall.length_m=10.2 --set facility.hall.width_m=15")
            .at("holds")
            .as_boolean());
}

TEST_CASE("copper is refused beyond its reach", "[cli][size]") {
  check_broken("--set 'facility.services.cables={\"node-leaf\": \"DAC 400G\"}'",
               "node-leaf cables of the training network", "DAC 400G reaches 3 m; the longest link is 10.6 m long",
               "facility.services.cables.node-leaf");
  check_broken("--set 'facility.services.cables={\"leaf-spine\": \"100G DAC\"}'",
               "leaf-spine cables of the training network", "100G DAC does not carry 400 Gbit/s",
               "facility.services.cables");
}

TEST_CASE("a cable for links that the cluster has not is noticed", "[cli][size]") {
  const JsonValue result = sized(superpod_file + "--set 'facility.services.cables={\"node-leef\": \"DAC 400G\"}'");
  REQUIRE(other_warnings(result).size() == 1);
  CHECK(other_warnings(result)[0] ==
        "facility.services.cables names \"DAC 400G\" for \"node-leef\", but the plan has only these classes of links: "
        "console, "
        "leaf-spine, "
        "management-uplink, manager-leaf, node-leaf");
}

TEST_CASE("the grid and the hall may grant too little", "[cli][size]") {
  const JsonValue usual = sized(superpod_file);
  const int grid = static_cast<int>(number(usual, "/facility_kw_rated")) - 1;
  const std::string granted = "--set facility.power.grid_limit_kw=";
  check_broken(granted + std::to_string(grid), "power from the grid", std::to_string(grid) + " kW granted",
               "facility.power.grid_limit_kw");
  CHECK(sized(superpod_file + granted + std::to_string(grid + 2)).at("holds").as_boolean());
  const int hall = static_cast<int>(number(usual, "/it_kw_rated"));
  const std::string allowed = "--set facility.hall.power_limit_kw=";
  check_broken(allowed + std::to_string(hall), "power of the hall", std::to_string(hall) + " kW allowed",
               "facility.hall.power_limit_kw");
  CHECK(sized(superpod_file + allowed + std::to_string(hall + 1)).at("holds").as_boolean());
}

TEST_CASE("a budget that capping holds says which mean it counts", "[cli][size]") {
  const ProgramRoom room;
  const std::string capped = "size llama3-8b-h100-64 --set cluster.facility.power.capping=equal ";
  const Outcome grid = room.run(capped + "--set cluster.facility.power.grid_limit_kw=95");
  CHECK(has(grid.out + grid.err,
            "the budget of the grid is 95 kW and 95 kW are drawn in the mean of the step on the design day: capping"));
  const Outcome hall = room.run(capped + "--set cluster.facility.hall.power_limit_kw=61");
  CHECK(
      has(hall.out + hall.err, "the budget of the hall is 61 kW and 61 kW are drawn in the mean of the step: capping"));
}

TEST_CASE("feeds must carry a rack after a loss", "[cli][size]") {
  // One circuit, where a spare is asked for: nothing may hang on it.
  check_broken("--set facility.power.most_feeds=1", "feeds", "n+1: 0 kW / 10.2 kW", "facility.power");
  // Two circuits of 32.8 kW: one carries three nodes of 10.2 kW, or any other rack, when the other is lost.
  const JsonValue two = sized(superpod_file + "--set facility.power.most_feeds=2");
  CHECK(number(two, "/floor/nodes_per_rack") == 3);
  CHECK(number(two, "/power/feeds/feeds") == 2);
  CHECK(number(two, "/power/feeds/after_loss_kw") >= 30.6);
  CHECK(number(two, "/power/feeds/after_loss_kw") <= number(two, "/power/feeds/usable_kw"));
}

TEST_CASE("a stated effectiveness must leave room for what the chain loses", "[cli][size]") {
  const JsonValue mean = sized(superpod_file).at("power").at("mean");
  const double least = 1 + (number(mean, "/losses_kw") + number(mean, "/other_kw")) / number(mean, "/it_kw");
  CHECK(least == Approx(1.07).epsilon(0.02));  // losses of 6 %, and 1 % for lights and offices
  const std::string setting = "--set facility.power_usage_effectiveness=";
  check_broken(setting + "1.02", "stated power usage effectiveness",
               fmt::format("1.02 stated; losses, lights and offices alone give {:.3f}", least),
               "facility.power_usage_effectiveness");
  CHECK_FALSE(sized(superpod_file + setting + fmt::format("{}", least - 1e-4), 1).at("holds").as_boolean());
  CHECK(sized(superpod_file + setting + fmt::format("{}", least + 1e-4)).at("holds").as_boolean());
  const JsonValue stated = sized(superpod_file + "--set facility.power_usage_effectiveness=1.3");
  CHECK(number(stated, "/facility_kw") == Approx(1.3 * number(stated, "/it_kw")));
  check_tree(stated.at("power").at("tree").at("mean"));
}

TEST_CASE("air does not cool nodes that need liquid", "[cli][size]") {
  const std::string nvl72 = shipped_file("clusters/gb200-nvl72");
  check_broken("--set facility.like=air", "cooling", "one GB200 NVL72 rack does not fit: 41 kW / 132 kW",
               "facility.cooling", nvl72);
  // A rack that air could carry is refused all the same.
  const ProgramRoom room;
  room.write("cluster.json", sixteen_nodes(R"({"part": "Wet"})", R"(, "parts": {"nodes": [{"id": "Wet",
    "accelerator_id": "H100-SXM", "accelerator_count": 8, "nic_id": "ConnectX-7 NDR", "nic_count": 8, "height_u": 4,
    "mass_kg": 100, "max_power_kw": 9, "needs_liquid": true, "host_power_w": 2000}]},
    "facility": {"like": "air"})"));
  const JsonValue verdict = broken(sized(room, "cluster.json", 1));
  CHECK(verdict.at("what").as_text() == "liquid for the nodes");
  CHECK(verdict.at("arithmetic").as_text() == "Wet needs liquid cooling; the racks have contained air");
}

namespace {

const std::string sold_with_liquid = "--set 'node.part=HGX H100 8-GPU (OEM 4-8U)' ";

}  // namespace

TEST_CASE("a dry cooler ends where the summer is too hot", "[cli][size]") {
  // 47 C on the design day, and 8 K above it.
  const std::string dry =
      "--set facility.like=direct-to-chip " + sold_with_liquid + "--set 'facility.cooling.rejection=dry cooler' ";
  check_broken(dry + "--set 'facility.cooling.climate=hot dry'", "coolant on the hottest day",
               "reaches 55.0 C; 35.0 C is required", "facility.cooling");
  for (const char* fits :
       {"climate=temperate --set facility.cooling.supply_c=45", "climate='hot dry' --set facility.cooling.supply_c=56"})
    CHECK(sized(superpod_file + dry + "--set facility.cooling." + fits).at("holds").as_boolean());
}

TEST_CASE("liquid without a unit that pumps it is noticed", "[cli][size]") {
  const JsonValue bare = sized(superpod_file + sold_with_liquid +
                               "--set facility.cooling.racks=direct-to-chip");  // in the usual hall for air
  CHECK(number(bare, "/cooling/liquid_kw") > 0);
  CHECK(number(bare, "/cooling/coolant_units") == 0);
  const auto warnings = other_warnings(bare);
  REQUIRE(warnings.size() == 1);
  CHECK(has(warnings[0], "facility.cooling names no coolant unit"));
  CHECK(other_warnings(sized(superpod_file + sold_with_liquid + "--set facility.like=direct-to-chip")).empty());
  CHECK(other_warnings(sized(superpod_file)).empty());
}

TEST_CASE("cooling must suit the nodes: liquid needs nodes that are sold with it, air must not be too warm",
          "[cli][size]") {
  for (const char* like : {"direct-to-chip", "immersion"})
    check_broken(std::string("--set facility.like=") + like, "air for the nodes",
                 "sold with it, \"HGX H100 8-GPU (OEM 4-8U)\"", "facility.cooling.racks");
  check_broken("--set facility.cooling.supply_c=32", "air at the inlets of the nodes",
               "DGX H100 takes in air of at most 30 C; the hall supplies 32 C", "facility.cooling.supply_c");
  CHECK(sized(superpod_file + "--set 'facility.cooling.racks=rear-door exchanger'").at("holds").as_boolean());
}

TEST_CASE("nodes of a rack that are stated beyond another limit do not hold", "[cli][size]") {
  check_broken("--set facility.rack.nodes=6", "stated nodes per rack", "6 stated; cooling allows 4 (41 kW / 10.2 kW)",
               "facility.rack.nodes");
  CHECK(sized(superpod_file + "--set facility.rack.nodes=3").at("holds").as_boolean());
}

// --- Wrong input -----------------------------------------------------------------------------------------------------

TEST_CASE("unknown parts of a facility are named with the nearest one", "[cli][size]") {
  check_refused_setting("'facility.rack.frame=48U 800x1201'", "E0203", "did you mean \"48U 800x1200\"?");
  check_refused_setting("'facility.cooling.racks=contained aer'", "E0203", "did you mean \"contained air\"?");
  check_refused_setting("'facility.cooling.rejection=dry coler'", "E0203", "did you mean \"dry cooler\"?");
  check_refused_setting("facility.cooling.climate=temperat", "E0203", "did you mean \"temperate\"?");
  check_refused_setting("'facility.power.circuit=Circuit 415 V 61 A'", "E0203", "did you mean \"Circuit 415 V");
  check_refused_setting("'facility.power.stages=[{\"part\": \"UPS 1.5 MVA, double conversian\"}]'", "E0203",
                        "did you mean \"UPS 1.5 MVA, double conversion\"?");
  check_refused_setting("facility.services.management_switch=SN2202", "E0203", "did you mean \"SN2201\"?");
  check_refused_setting("'facility.services.cables={\"node-leaf\": \"DAC 401G\"}'", "E0203",
                        "did you mean \"DAC 400G\"?");
  check_refused_setting("facility.services.storage.part=AI400X3", "E0203", "clusterwright catalog storage_systems");
}

TEST_CASE("wrong numbers and fields of a facility are refused at their place", "[cli][size]") {
  check_refused_setting("facility.power_usage_effectiveness=0.9", "E0202",
                        "--set facility.power_usage_effectiveness:1:1");
  check_refused_setting("facility.rack.power_limit_kw=-1", "E0202", "--set facility.rack.power_limit_kw:1:1");
  check_refused_setting("facility.rack.nodes=0", "E0202", "must be >= 1 (got 0)");
  check_refused_setting("facility.services.storage.read_per_node_gb_per_s=1e9", "E0202", "must be <= 1000000");
  check_refused_setting("facility.services.storage.read_per_node_gb_per_s=1e6", "E0501", "more than 100000 of DDN");
  check_refused_setting("facility.services.storage.capacity_tb=1e9", "E0501", "to keep everything");
  check_refused_setting("facility.power.feeds=3n", "E0203", "2n");
  check_refused_setting("facility.rack.framee=x", "E0402", "did you mean \"frame\"?");
  const ProgramRoom room;
  room.write("bad.json", sixteen_nodes(dgx, ",\n  \"facility\": {\"rack\": {\"frames\": \"48U 800x1200\"}}"));
  check_refused(room, "size bad.json -o out.json", "E0102", "bad.json:4:25");
  room.write("bad.json", sixteen_nodes(dgx, ",\n  \"facility\": {\"rack\": {\"frame\": \"48U\"}}"));
  check_refused(room, "size bad.json -o out.json", "E0203", "(/facility/rack/frame)");
}

TEST_CASE("size refuses what is no cluster and no scenario", "[cli][size]") {
  check_refused("size", "E0404", "size needs SCENARIO");
  check_refused("size missing.json", "E0401", "missing.json");
  check_refused("size " + superpod_file + "--format nccl-tests", "E0404", "one of: table, json, csv, md, html");
  check_refused("size " + shipped_file("transformers/llama3-8b") + "-o out.json", "E0404",
                "a model alone names no machine");
  check_refused("size " + shipped_file("stacks/nemo-2024") + "-o out.json", "E0105", "nemo-2024.json");
  const ProgramRoom room;
  room.write("bad.json", "{\"accelerators\": ");
  check_refused(room, "size bad.json -o out.json", "E0101", "bad.json:1");
}
