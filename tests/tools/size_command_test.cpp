// `clusterwright size` as a user runs it.
#include <fmt/format.h>

#include "sim/json_writer.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string shipped_file(const std::string& name) {
  return "'" CLUSTERWRIGHT_CONFIGS "/" + name + ".json' ";
}
const std::string superpod = shipped_file("clusters/dgx-h100-127");
const std::string job = shipped_file("scenarios/llama3-70b-h100");

/// @param code  1 where the cluster cannot be built as asked: everything is still computed
JsonValue sized(const ProgramRoom& room, const std::string& arguments, int code = 0) {
  const Outcome outcome = room.run("size " + arguments + " --format json");
  INFO("clusterwright size " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == code);
  CHECK(outcome.err.empty());
  return outcome.json();
}
JsonValue sized(const std::string& arguments, int code = 0) {
  return sized(ProgramRoom(), arguments, code);
}

double number(const JsonValue& object, const std::string& pointer) {
  const JsonValue* value = object.at_pointer(pointer);
  INFO(pointer);
  REQUIRE(value);
  return value->as_number();
}

/// Of one key over a list of objects; null counts nothing.
double sum(const JsonValue& list, const char* key) {
  double out = 0;
  for (const JsonValue& one : list.elements())
    if (!one.at(key).is_null()) out += one.at(key).as_number();
  return out;
}
double sum_of_members(const JsonValue& object) {
  double out = 0;
  for (const auto& [key, value] : object.members()) out += value.as_number();
  return out;
}

void check_tree(const JsonValue& node) {
  const JsonValue& parts = node.at("parts");
  if (parts.elements().empty()) return;
  INFO(node.at("name").as_text());
  CHECK(number(node, "/kw") == Approx(sum(parts, "kw")));
  for (const JsonValue& part : parts.elements()) check_tree(part);
}

/// The first thing that does not hold; FAILs where everything does.
JsonValue broken(const JsonValue& result) {
  for (const JsonValue& verdict : result.at("verdicts").elements())
    if (!verdict.at("holds").as_boolean()) return verdict;
  FAIL("everything holds");
  return {};
}

/// Exit code 1, all numbers, and first of all the constraint that does not hold.
void check_broken(const std::string& settings, const std::string& what, const std::string& arithmetic,
                  const std::string& field, const std::string& cluster = superpod) {
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

/// 16 nodes of eight H100 on one leaf, in a file of their own.
std::string sixteen_nodes(const std::string& node, const std::string& more = "") {
  return R"({"name": "Sixteen nodes", "source": "a test", "accelerators": 128, "node": )" + node + R"(,
  "fabric": {"transport": "infiniband", "tiers": [
    {"name": "leaf", "accelerators": 256, "switch": "QM9700/QM9790"}, {"name": "spine", "switch": "QM9700/QM9790"}]})" +
         more + "}";
}
const std::string dgx = R"({"part": "DGX H100"})";

void check_refused_setting(const std::string& setting, const std::string& code, const std::string& words) {
  check_refused("size " + superpod + "-o out.json --set " + setting, code, words);
}

}  // namespace

// --- Answers ---------------------------------------------------------------------------------------------------------

TEST_CASE("size answers for a cluster and for a scenario", "[cli][size]") {
  const ProgramRoom room;
  const Outcome cluster = room.run("size " + superpod);
  CHECK(cluster.code == 0);
  CHECK(cluster.err.empty());
  CHECK(has(cluster.out, "1,016 x H100-SXM in 39 racks"));
  CHECK(has(cluster.out, "Floor plan (C compute, N network, X core, S service, D storage)"));
  CHECK(has(cluster.out, "\nNext: "));
  const Outcome scenario = room.run("size " + job);
  CHECK(scenario.code == 0);
  CHECK(has(scenario.out, "million tokens"));
  CHECK_FALSE(has(cluster.out, "million tokens"));
}

TEST_CASE("size writes five formats, several at once", "[cli][size]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("size " + superpod + "-o a.txt -o a.json -o a.csv -o a.md -o a.html");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "wrote a.csv"));
  CHECK(room.entries() == 5);
  CHECK(content(room.at("a.txt")).starts_with("1,016 x H100-SXM in 39 racks"));
  CHECK(read_json_file(room.at("a.json")).at("gpus").as_integer() == 1016);
  CHECK(content(room.at("a.csv")).starts_with("chapter,part,use,count,length_m,"));
  CHECK(has(content(room.at("a.csv")), "compute,DGX H100,working,127,"));
  CHECK(content(room.at("a.md")).starts_with("# 1,016 x H100-SXM in 39 racks"));
  CHECK(content(room.at("a.html")).starts_with("<!DOCTYPE html>"));
  const char* formats[] = {"table", "json", "csv", "md", "html"};
  const char* files[] = {"a.txt", "a.json", "a.csv", "a.md", "a.html"};
  for (int i : {0, 2, 3}) {
    INFO(formats[i]);
    CHECK((room.run("size " + superpod + "--format " + formats[i]).out == content(room.at(files[i]))));
  }
}

TEST_CASE("the same cluster gets the same bytes twice", "[cli][size]") {
  const ProgramRoom room;
  for (const char* format : {"json", "html"}) {
    const std::string question = "size " + job + "--format " + format;
    const Outcome once = room.run(question), again = room.run(question);
    CHECK(once.code == 0);
    CHECK((once.out == again.out));  // in brackets: not to print both
  }
}

TEST_CASE("the JSON of size has the keys that scripts rely on", "[cli][size]") {
  for (const std::string& input : {superpod, job}) {
    const JsonValue result = sized(input);
    CHECK(result.at("schema_version").as_integer() == 1);
    CHECK(result.at("command").as_text() == "size");
    for (const JsonValue& file : result.at("inputs").elements()) CHECK(file.at("sha256").as_text().size() == 64);
    for (const char* key : {"gpus", "nodes"}) CHECK(result.at(key).as_integer() > 0);
    for (const char* key : {"racks", "switches", "transceivers"})
      CHECK(result.at(key).at("total").is(JsonKind::integer));
    for (const char* key : {"it_kw", "facility_kw", "mass_kg", "capex_usd", "opex_usd_per_year"})
      CHECK(number(result, std::string("/") + key) > 0);
    CHECK(result.at("cooling").at("kind").as_text() == "contained air");
    CHECK(result.at("cables").is(JsonKind::list));
    for (const JsonValue& cable : result.at("cables").elements()) {
      for (const char* key : {"network", "link", "kind"}) CHECK_FALSE(cable.at(key).as_text().empty());
      CHECK_FALSE(cable.at("lengths").elements().empty());
    }
    CHECK(result.at("warnings").is(JsonKind::list));
    CHECK(result.at("holds").as_boolean());
  }
}

TEST_CASE("counts of a size are the sums of their parts", "[cli][size]") {
  for (const std::string& input : {superpod, job, shipped_file("clusters/gb200-nvl72-9racks")}) {
    const JsonValue result = sized(input);
    INFO(input);
    double switches = 0, racks = 0;
    for (const auto& [network, tiers] : result.at("switches").members())
      if (network != "total") switches += sum_of_members(tiers);
    CHECK(number(result, "/switches/total") == switches);
    for (const auto& [role, count] : result.at("racks").members())
      if (role != "total") racks += count.as_number();
    CHECK(number(result, "/racks/total") == racks);
    CHECK(static_cast<double>(result.at("floor").at("racks").elements().size()) == racks);
    CHECK(sum(result.at("floor").at("racks"), "nodes") == number(result, "/nodes"));
    CHECK(sum(result.at("floor").at("racks"), "mass_kg") <= number(result, "/mass_kg") * (1 + 1e-9));
    CHECK(sum(result.at("transceivers").at("parts"), "count") == number(result, "/transceivers/total"));
    for (const JsonValue& cable : result.at("cables").elements()) {
      const auto& bins = cable.at("lengths").elements();
      CHECK(sum(cable.at("lengths"), "links") == number(cable, "/links"));
      CHECK(number(bins.front(), "/length_m") == number(cable, "/shortest_m"));
      CHECK(number(bins.back(), "/length_m") == number(cable, "/longest_m"));
      CHECK(number(cable, "/longest_routed_m") <= number(cable, "/longest_m"));
    }
  }
}

TEST_CASE("watts of a size are the sums of their parts", "[cli][size]") {
  for (const std::string& input : {superpod, job, shipped_file("clusters/gb200-nvl72")}) {
    const JsonValue result = sized(input);
    INFO(input);
    CHECK(number(result, "/it_kw") == number(result, "/power/mean/it_kw"));
    CHECK(number(result, "/it_kw_rated") == Approx(sum(result.at("floor").at("racks"), "rated_kw")));
    CHECK(number(result, "/facility_kw") == number(result, "/power/mean/facility_kw"));
    CHECK(number(result, "/it_kw") < number(result, "/it_kw_rated"));
    CHECK(number(result, "/pue") == Approx(number(result, "/facility_kw") / number(result, "/it_kw")));
    for (const char* load : {"mean", "rated", "peak"}) {
      const JsonValue& p = result.at("power").at(load);
      CHECK(number(p, "/facility_kw") ==
            Approx(number(p, "/it_kw") + number(p, "/losses_kw") + number(p, "/cooling_kw") + number(p, "/other_kw")));
    }
    for (const char* load : {"mean", "rated"}) {
      check_tree(result.at("power").at("tree").at(load));
      CHECK(number(result, std::string("/power/tree/") + load + "/kw") ==
            number(result, std::string("/power/") + load + "/facility_kw"));
    }
    const JsonValue& heat = result.at("cooling");
    CHECK(number(heat, "/liquid_kw") + number(heat, "/air_kw") == Approx(number(result, "/it_kw_rated")));
  }
}

TEST_CASE("settings of prices go over the list, for a cluster as for a scenario", "[cli][size]") {
  for (const std::string& input : {superpod, job})
    for (const std::string list : {"", "--prices 2024-h100 "}) {
      INFO(input << list);
      const JsonValue usual = sized(input + list).at("cost");
      const JsonValue dear = sized(input + list + "--set prices.electricity_usd_per_kwh=0.8").at("cost");
      const double ratio = number(dear, "/opex_usd_per_year/energy") / number(usual, "/opex_usd_per_year/energy");
      CHECK(ratio == Approx(0.8 / (list.empty() ? 0.08 : 0.078)));
      CHECK(number(dear, "/usd_per_gpu_hour/capital") == number(usual, "/usd_per_gpu_hour/capital"));
    }
}

TEST_CASE("dollars of a size are the sums of their parts", "[cli][size]") {
  for (const std::string& input : {superpod, job, shipped_file("clusters/gb200-nvl72-9racks")})
    for (const char* prices : {"default", "2024-h100"}) {
      const JsonValue result = sized(input + "--prices " + prices);
      const JsonValue& cost = result.at("cost");
      INFO(input << prices);
      CHECK(sum_of_members(cost.at("capex_usd")) == Approx(number(result, "/capex_usd")));
      CHECK(sum_of_members(cost.at("opex_usd_per_year")) == Approx(number(result, "/opex_usd_per_year")));
      CHECK(sum(result.at("bill"), "price_total_usd") == Approx(number(result, "/capex_usd")));
      const JsonValue& hour = cost.at("usd_per_gpu_hour");
      const double parts = number(hour, "/capital") + number(hour, "/operations") + number(hour, "/energy");
      CHECK(number(hour, "/total") == Approx(parts));
      // Machines work 8,766 hours a year x utilisation.
      const double sold = number(result, "/gpus") * 8766 * number(cost, "/utilisation");
      CHECK(parts - number(hour, "/capital") == Approx(number(result, "/opex_usd_per_year") / sold));
      CHECK(cost.at("lower_bound").as_boolean() == !cost.at("unpriced").elements().empty());
    }
}

TEST_CASE("every item of the bill has a source for its price, or is named as unpriced", "[cli][size]") {
  const JsonValue result = sized(superpod);
  for (const JsonValue& item : result.at("bill").elements()) {
    INFO(item.at("chapter").as_text());
    CHECK(item.at("price_source").as_text().size() > 2);
    CHECK(number(item, "/price_total_usd") == Approx(number(item, "/count") * number(item, "/price_each_usd")));
  }
}

// --- With a job and without ------------------------------------------------------------------------------------------

TEST_CASE("with a job watts come from its step, and tokens have a price", "[cli][size]") {
  const JsonValue result = sized(job);
  const JsonValue& step = result.at("step");
  CHECK(result.at("node_power").at("source").as_text() == "replayed step");
  CHECK(number(result, "/node_power/mean_kw") == Approx(number(step, "/power/it_kw_mean") / 128));
  CHECK(number(result, "/node_power/trough_kw") < number(result, "/node_power/mean_kw"));
  CHECK(number(result, "/node_power/mean_kw") < number(result, "/node_power/peak_kw"));
  CHECK(number(result, "/it_kw") < number(result, "/it_kw_peak"));
  // Dollars of an hour over its tokens, of which 90 % make progress (goodput of the default prices).
  const double hour = number(result, "/cost/usd_per_gpu_hour/total") * 1024;
  const double millions = 3600 * 0.9 * number(step, "/tokens_per_s") / 1e6;
  CHECK(number(result, "/cost/usd_per_million_tokens") == Approx(hour / millions));
  CHECK(number(result, "/storage/checkpoint_gb") == Approx(14 * 70.55).epsilon(0.01));  // 14 B a parameter
  CHECK(result.at("scenario").at("job").at("task").as_text() == "pretrain");
}

TEST_CASE("without a job watts are typical ones, and tokens have no price", "[cli][size]") {
  const JsonValue result = sized(superpod);
  CHECK(result.at("step").is_null());
  CHECK(result.at("scenario").is_null());
  CHECK(result.at("cost").at("usd_per_million_tokens").is_null());
  CHECK(result.at("storage").at("checkpoint_gb").is_null());
  CHECK(number(result, "/node_power/mean_kw") == 7.75);
  CHECK(number(result, "/node_power/rated_kw") == 10.2);
  CHECK(result.at("node_power").at("source").as_text() == "DERIVED: 0.76 x 10.2 (H100-NODE)");
}

TEST_CASE("the effective scenario of a size has the same size", "[cli][size]") {
  const ProgramRoom room;
  const Outcome first =
      room.run("size " + job + "--set cluster.facility.rack.nodes=2 --prices 2024-h100 --format json");
  const JsonValue result = first.json();
  room.write("effective.json", write_json(result.at("scenario")));
  const JsonValue again = sized(room, "effective.json");
  for (const char* key : {"/racks/total", "/facility_kw", "/capex_usd", "/cost/usd_per_million_tokens"})
    CHECK(number(again, key) == Approx(number(result, key)));
}

TEST_CASE("the effective scenario of a run can be sized", "[cli][size]") {
  const ProgramRoom room;
  room.write("effective.json", write_json(room.run("run " + job + "--format json").json().at("scenario")));
  CHECK(number(sized(room, "effective.json"), "/capex_usd") == Approx(number(sized(job), "/capex_usd")));
}

TEST_CASE("a job that does not fit is sized with a warning", "[cli][size]") {
  const JsonValue result = sized(job + "--set job.parallel.tensor=1 --set job.parallel.pipeline=1");
  CHECK_FALSE(result.at("step").at("fits").as_boolean());
  CHECK(has(result.at("warnings").elements().back().as_text(), "the job does not fit: "));
}

// --- Prices ----------------------------------------------------------------------------------------------------------

TEST_CASE("prices are a name, a file, a field of the scenario or a setting", "[cli][size]") {
  const ProgramRoom room;
  const auto list = [](const JsonValue& result) { return result.at("cost").at("price_list").as_text(); };
  CHECK(list(sized(superpod)) == "catalog prices, November 2026");
  CHECK(list(sized(superpod + "--prices 2024-h100")) == "H100 clusters, August 2024");
  room.write("mine.json", R"({"like": "2024-h100", "name": "mine", "parts_usd": {"DGX H100": 200000}})");
  const JsonValue mine = sized(room, superpod + "--prices mine.json");
  CHECK(list(mine) == "mine");
  room.write("over.json", R"({"like": "mine.json", "name": "over", "parts_usd": {"SN2201": 1}})");
  CHECK(number(sized(room, superpod + "--prices over.json"), "/cost/capex_usd/compute") == 129 * 200'000);
  CHECK(number(mine, "/cost/capex_usd/compute") == 129 * 200'000);  // 127 and two spare nodes
  CHECK(mine.at("inputs").elements().back().at("path").as_text() == CLUSTERWRIGHT_CONFIGS "/prices/2024-h100.json");
  CHECK(list(sized(job + "--set prices.like=2024-h100")) == "H100 clusters, August 2024");
  CHECK(list(sized(job + "--set prices.like=2024-h100 --prices default")) == "H100 clusters, August 2024");
  const double usual = number(sized(job), "/cost/opex_usd_per_year/energy");
  const JsonValue dear = sized(job + "--set prices.electricity_usd_per_kwh=0.16");
  CHECK(number(dear, "/cost/opex_usd_per_year/energy") == Approx(2 * usual));
}

TEST_CASE("parts without a price make costs a lower bound", "[cli][size]") {
  const ProgramRoom room;
  room.write("cluster.json", sixteen_nodes(R"({"part": "Box"})", R"(, "parts": {"nodes": [{"id": "Box",
    "accelerator_id": "H100-SXM", "accelerator_count": 8, "nic_id": "ConnectX-7 NDR", "nic_count": 8,
    "height_u": 6, "mass_kg": 100, "max_power_kw": 9, "host_power_w": 2000}],
    "racks": [{"id": "My rack", "height_u": 50, "width_m": 0.7, "depth_m": 1.2, "height_m": 2.4, "mass_kg": 150,
      "static_load_kg": 1500}]},
  "facility": {"rack": {"frame": "My rack"}})"));
  const JsonValue result = sized(room, "cluster.json");
  CHECK(result.at("cost").at("lower_bound").as_boolean());
  CHECK(result.at("cost").at("unpriced").elements().at(0).as_text() == "My rack");
}

TEST_CASE("wrong prices are refused at their place", "[cli][size]") {
  const ProgramRoom room;
  check_refused("size " + superpod + "--prices 2025-h100 -o out.json", "E0203", "did you mean \"2024-h100\"?");
  check_refused("size " + superpod + "--prices 2025-h100 -o out.json", "E0203", "--prices:1:1");
  check_refused("size " + superpod + "--prices missing.json -o out.json", "E0401", "missing.json");
  room.write("bad.json", "{\"parts_usd\": {\n  \"DGX H100\": -1}}");
  check_refused(room, "size " + superpod + "--prices bad.json -o out.json", "E0202", "bad.json:2:15");
  room.write("bad.json", R"({"parts_usd": {"DGX H1000": 1}})");
  check_refused(room, "size " + superpod + "--prices bad.json -o out.json", "E0203", "did you mean \"DGX H100\"?");
  room.write("bad.json", R"({"electricity": 1})");
  check_refused(room, "size " + superpod + "--prices bad.json -o out.json", "E0102", "electricity_usd_per_kwh");
  check_refused("size " + job + "--set prices.electricity_usd_per_kwh=-0.1", "E0202",
                "--set prices.electricity_usd_per_kwh:1:1");
}

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
  CHECK(result.at("warnings").elements().empty());
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
  const Outcome outcome = room.run("size " + superpod + "--set facility.rack.power_limit_kw=10");
  CHECK(outcome.code == 1);
  CHECK(outcome.err.empty());
  const std::size_t verdict = outcome.out.find("one DGX H100 does not fit: 10 kW / 10.2 kW");
  CHECK(verdict < outcome.out.find("\nSwitches\n"));
}

TEST_CASE("a hall may be too small along and across its rows", "[cli][size]") {
  // 39 racks in rows of 20: 3 m of margins + 20 x 0.8 m, and 3 m + 2 x 1.2 m of racks + an aisle of 1.8 m between.
  const std::string hall =
      "--set facility.hall.racks_per_row=20 --set facility.hall.length_m=10 --set facility.hall.width_m=";
  check_broken(hall + "6", "length of the hall", "need 19.0 m, the hall has 10.0 m", "facility.hall.length_m");
  const JsonValue both = sized(superpod + hall + "6", 1);
  CHECK(both.at("verdicts").elements()[1].at("what").as_text() == "width of the hall");
  CHECK_FALSE(both.at("verdicts").elements()[1].at("holds").as_boolean());
  CHECK(has(both.at("verdicts").elements()[1].at("arithmetic").as_text(), "need 7.2 m, the hall has 6.0 m"));
  check_broken("--set facility.hall.length_m=10.2 --set facility.hall.width_m=14.9", "width of the hall", "need 15.0 m",
               "facility.hall.width_m");
  CHECK(sized(superpod + "--set facility.hall.length_m=10.2 --set facility.hall.width_m=15").at("holds").as_boolean());
}

TEST_CASE("copper is refused beyond its reach", "[cli][size]") {
  check_broken("--set 'facility.services.cables={\"node-leaf\": \"DAC 400G\"}'",
               "node-leaf cables of the training network", "DAC 400G reaches 3 m, the longest link is 10.6 m",
               "facility.services.cables.node-leaf");
  check_broken("--set 'facility.services.cables={\"leaf-spine\": \"100G DAC\"}'",
               "leaf-spine cables of the training network", "100G DAC does not carry 400 Gbit/s",
               "facility.services.cables");
}

TEST_CASE("a cable for links that the cluster has not is noticed", "[cli][size]") {
  const JsonValue result = sized(superpod + "--set 'facility.services.cables={\"node-leef\": \"DAC 400G\"}'");
  REQUIRE(result.at("warnings").elements().size() == 1);
  CHECK(result.at("warnings").elements()[0].as_text() ==
        "facility.services.cables names \"DAC 400G\" for \"node-leef\", but the classes of links here are console, "
        "leaf-spine, "
        "management-uplink, manager-leaf, node-leaf");
}

TEST_CASE("the grid and the hall may grant too little", "[cli][size]") {
  const JsonValue usual = sized(superpod);
  const int grid = static_cast<int>(number(usual, "/facility_kw_rated")) - 1;
  const std::string granted = "--set facility.power.grid_limit_kw=";
  check_broken(granted + std::to_string(grid), "power from the grid", std::to_string(grid) + " kW granted",
               "facility.power.grid_limit_kw");
  CHECK(sized(superpod + granted + std::to_string(grid + 2)).at("holds").as_boolean());
  const int hall = static_cast<int>(number(usual, "/it_kw_rated"));
  const std::string allowed = "--set facility.hall.power_limit_kw=";
  check_broken(allowed + std::to_string(hall), "power of the hall", std::to_string(hall) + " kW allowed",
               "facility.hall.power_limit_kw");
  CHECK(sized(superpod + allowed + std::to_string(hall + 1)).at("holds").as_boolean());
}

TEST_CASE("feeds must carry a rack after a loss", "[cli][size]") {
  // One circuit, where a spare is asked for: nothing may hang on it.
  check_broken("--set facility.power.most_feeds=1", "feeds", "n+1: 0 kW / 10.2 kW", "facility.power");
  // Two circuits of 32.8 kW: one carries three nodes of 10.2 kW, or any other rack, when the other is lost.
  const JsonValue two = sized(superpod + "--set facility.power.most_feeds=2");
  CHECK(number(two, "/floor/nodes_per_rack") == 3);
  CHECK(number(two, "/power/feeds/feeds") == 2);
  CHECK(number(two, "/power/feeds/after_loss_kw") >= 30.6);
  CHECK(number(two, "/power/feeds/after_loss_kw") <= number(two, "/power/feeds/usable_kw"));
}

TEST_CASE("a stated effectiveness must leave room for what the chain loses", "[cli][size]") {
  const JsonValue mean = sized(superpod).at("power").at("mean");
  const double least = 1 + (number(mean, "/losses_kw") + number(mean, "/other_kw")) / number(mean, "/it_kw");
  CHECK(least == Approx(1.07).epsilon(0.02));  // losses of 6 %, and 1 % for lights and offices
  const std::string setting = "--set facility.power_usage_effectiveness=";
  check_broken(setting + "1.02", "stated power usage effectiveness",
               fmt::format("1.02 stated, {:.3f} before any cooling", least), "facility.power_usage_effectiveness");
  CHECK_FALSE(sized(superpod + setting + fmt::format("{}", least - 1e-4), 1).at("holds").as_boolean());
  CHECK(sized(superpod + setting + fmt::format("{}", least + 1e-4)).at("holds").as_boolean());
  const JsonValue stated = sized(superpod + "--set facility.power_usage_effectiveness=1.3");
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
  CHECK(verdict.at("arithmetic").as_text() == "Wet needs liquid, the racks have contained air");
}

TEST_CASE("a dry cooler ends where the summer is too hot", "[cli][size]") {
  // 47 C on the design day, and 8 K above it.
  const std::string dry = "--set facility.like=direct-to-chip --set 'facility.cooling.rejection=dry cooler' ";
  check_broken(dry + "--set 'facility.cooling.climate=hot dry'", "coolant on the hottest day",
               "reaches 55.0 C, 35.0 C is required", "facility.cooling");
  CHECK(sized(superpod + dry + "--set facility.cooling.climate=temperate --set facility.cooling.supply_c=45")
            .at("holds")
            .as_boolean());
  CHECK(sized(superpod + dry + "--set 'facility.cooling.climate=hot dry' --set facility.cooling.supply_c=56")
            .at("holds")
            .as_boolean());
}

TEST_CASE("liquid without a unit that pumps it is noticed", "[cli][size]") {
  const JsonValue bare = sized(superpod + "--set facility.cooling.racks=direct-to-chip");  // in the usual hall for air
  CHECK(number(bare, "/cooling/liquid_kw") > 0);
  CHECK(number(bare, "/cooling/coolant_units") == 0);
  REQUIRE(bare.at("warnings").elements().size() == 1);
  CHECK(has(bare.at("warnings").elements()[0].as_text(), "facility.cooling names no coolant unit"));
  CHECK(sized(superpod + "--set facility.like=direct-to-chip").at("warnings").elements().empty());
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
  check_refused("size " + superpod + "--format nccl-tests", "E0404", "one of: table, json, csv, md, html");
  check_refused("size " + shipped_file("transformers/llama3-8b") + "-o out.json", "E0102", "llama3-8b.json");
  const ProgramRoom room;
  room.write("bad.json", "{\"accelerators\": ");
  check_refused(room, "size bad.json -o out.json", "E0101", "bad.json:1");
}
