// SPDX-License-Identifier: Apache-2.0
// `clusterwright size` as a user runs it: answers, jobs and prices.
#include "sim/json_writer.hpp"
#include "support/program_room.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

double sum_of_members(const JsonValue& object) {
  double out = 0;
  for (const auto& [key, value] : object.members()) out += value.as_number();
  return out;
}

}  // namespace

// --- Answers ---------------------------------------------------------------------------------------------------------

TEST_CASE("size answers for a cluster and for a scenario", "[cli][size]") {
  const ProgramRoom room;
  const Outcome cluster = room.run("size " + superpod_file);
  CHECK(cluster.code == 0);
  CHECK(cluster.err.empty());
  CHECK(has(cluster.out, "1,016 x H100-SXM in 39 racks"));
  CHECK(has(cluster.out, "Floor plan (C compute, N network, K core, S service, D storage)"));
  CHECK(has(cluster.out, "\nNext: "));
  const Outcome scenario = room.run("size " + sized_job);
  CHECK(scenario.code == 0);
  CHECK(has(scenario.out, "million tokens"));
  CHECK_FALSE(has(cluster.out, "million tokens"));
}

TEST_CASE("size places plants around the hall, in every format that draws or lists", "[cli][size]") {
  const ProgramRoom room;
  REQUIRE(room.run("size " + superpod_file + "-o a.txt -o a.json -o a.md -o a.html").code == 0);
  // six fan walls of 3.6 x 2.7 m (5 carry 1.5 MW at 350 kW, and a spare): three along each wall of 15 m
  CHECK(has(content(room.at("a.txt")), "cooling gallery 1 40 m2, cooling gallery 2 40 m2, power room"));
  CHECK(has(content(room.at("a.md")), "| cooling gallery 1 | 2.7 | 15.0 | 40 | 3 air units of the hall"));
  CHECK(has(content(room.at("a.html")), "Hall with its rooms of power and cooling"));
  const JsonValue rooms = read_json_file(room.at("a.json")).at("floor").at("rooms");
  REQUIRE(rooms.elements().size() == 4);
  CHECK(rooms.elements()[0].at("x_m").as_number() == -2.7);
  CHECK(rooms.elements()[0].at("units").elements().size() == 3);
  CHECK(rooms.elements()[3].at("name").as_text() == "yard");
}

TEST_CASE("size writes five formats, several at once", "[cli][size]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("size " + superpod_file + "-o a.txt -o a.json -o a.csv -o a.md -o a.html");
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
    CHECK((room.run("size " + superpod_file + "--format " + formats[i]).out == content(room.at(files[i]))));
  }
}

TEST_CASE("the same cluster gets the same bytes twice", "[cli][size]") {
  const ProgramRoom room;
  for (const char* format : {"json", "html"}) {
    const std::string question = "size " + sized_job + "--format " + format;
    const Outcome once = room.run(question), again = room.run(question);
    CHECK(once.code == 0);
    CHECK((once.out == again.out));  // in brackets: not to print both
  }
}

TEST_CASE("the JSON of size has the keys that scripts rely on", "[cli][size]") {
  for (const std::string& input : {superpod_file, sized_job}) {
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
  for (const std::string& input : {superpod_file, sized_job, shipped_file("clusters/gb200-nvl72-9racks")}) {
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
    CHECK(sum_of_key(result.at("floor").at("racks"), "nodes") == number(result, "/nodes"));
    CHECK(sum_of_key(result.at("floor").at("racks"), "mass_kg") <= number(result, "/mass_kg") * (1 + 1e-9));
    CHECK(sum_of_key(result.at("transceivers").at("parts"), "count") == number(result, "/transceivers/total"));
    for (const JsonValue& cable : result.at("cables").elements()) {
      const auto& bins = cable.at("lengths").elements();
      CHECK(sum_of_key(cable.at("lengths"), "links") == number(cable, "/links"));
      CHECK(number(bins.front(), "/length_m") == number(cable, "/shortest_m"));
      CHECK(number(bins.back(), "/length_m") == number(cable, "/longest_m"));
      CHECK(number(cable, "/longest_routed_m") <= number(cable, "/longest_m"));
    }
  }
}

namespace {

double branch_kw(const JsonValue& tree, const std::string& name) {
  if (tree.at("name").as_text() == name) return tree.at("kw").as_number();
  double sum = 0;
  for (const JsonValue& part : tree.at("parts").elements()) sum += branch_kw(part, name);
  return sum;
}

}  // namespace

TEST_CASE("watts of a size are the sums of their parts", "[cli][size]") {
  for (const std::string& input : {superpod_file, sized_job, shipped_file("clusters/gb200-nvl72")}) {
    const JsonValue result = sized(input);
    INFO(input);
    CHECK(number(result, "/it_kw") == number(result, "/power/mean/it_kw"));
    CHECK(number(result, "/it_kw_rated") == Approx(sum_of_key(result.at("floor").at("racks"), "rated_kw")));
    CHECK(number(result, "/facility_kw") == number(result, "/power/mean/facility_kw"));
    CHECK(number(result, "/it_kw") < number(result, "/it_kw_rated"));
    CHECK(number(result, "/pue") == Approx(number(result, "/facility_kw") / number(result, "/it_kw")));
    for (const char* load : {"mean", "rated", "peak", "crest"}) {
      const JsonValue& p = result.at("power").at(load);
      if (p.is_null()) continue;  // without a job
      CHECK(number(p, "/nodes_kw") < number(p, "/it_kw"));
      CHECK(number(p, "/facility_kw") ==
            Approx(number(p, "/it_kw") + number(p, "/losses_kw") + number(p, "/cooling_kw") + number(p, "/other_kw")));
    }
    for (const char* load : {"mean", "rated"}) {
      check_tree(result.at("power").at("tree").at(load));
      CHECK(number(result, std::string("/power/tree/") + load + "/kw") ==
            number(result, std::string("/power/") + load + "/facility_kw"));
    }
    const JsonValue& heat = result.at("cooling");
    // Losses indoors, lights and offices are heat too; transformers stand outdoors.
    const JsonValue& rated = result.at("power").at("rated");
    const double outdoors = branch_kw(result.at("power").at("tree").at("rated"), "transformers");
    CHECK(number(heat, "/liquid_kw") + number(heat, "/air_kw") ==
          Approx(number(rated, "/it_kw") + number(rated, "/losses_kw") + number(rated, "/other_kw") - outdoors));
  }
}

TEST_CASE("settings of prices go over the list, for a cluster as for a scenario", "[cli][size]") {
  for (const std::string& input : {superpod_file, sized_job})
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
  for (const std::string& input : {superpod_file, sized_job, shipped_file("clusters/gb200-nvl72-9racks")})
    for (const char* prices : {"default", "2024-h100"}) {
      const JsonValue result = sized(input + "--prices " + prices);
      const JsonValue& cost = result.at("cost");
      INFO(input << prices);
      CHECK(sum_of_members(cost.at("capex_usd")) == Approx(number(result, "/capex_usd")));
      CHECK(sum_of_members(cost.at("opex_usd_per_year")) == Approx(number(result, "/opex_usd_per_year")));
      CHECK(sum_of_key(result.at("bill"), "price_total_usd") == Approx(number(result, "/capex_usd")));
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
  const JsonValue result = sized(superpod_file);
  for (const JsonValue& item : result.at("bill").elements()) {
    INFO(item.at("chapter").as_text());
    CHECK(item.at("price_source").as_text().size() > 2);
    CHECK(number(item, "/price_total_usd") == Approx(number(item, "/count") * number(item, "/price_each_usd")));
  }
}

// --- With a job and without ------------------------------------------------------------------------------------------

TEST_CASE("with a job watts come from its step, and tokens have a price", "[cli][size]") {
  const JsonValue result = sized(sized_job);
  const JsonValue& step = result.at("step");
  CHECK(result.at("node_power").at("source").as_text() == "replayed step");
  CHECK(number(result, "/node_power/mean_kw") == Approx(number(step, "/power/nodes_kw_mean") / 128));
  CHECK(number(result, "/node_power/trough_kw") < number(result, "/node_power/mean_kw"));
  CHECK(number(result, "/node_power/mean_kw") < number(result, "/node_power/crest_kw"));
  CHECK(number(result, "/node_power/crest_kw") <= number(result, "/node_power/peak_kw"));
  CHECK(number(result, "/it_kw") < number(result, "/it_kw_crest"));
  CHECK(number(result, "/it_kw_crest") <= number(result, "/it_kw_peak"));
  CHECK(number(result, "/it_kw") == Approx(number(step, "/power/it_kw_mean")));
  CHECK(number(result, "/facility_kw") == Approx(number(step, "/power/facility_kw_mean")));
  // Dollars of an hour over its tokens, of which 90 % make progress (goodput of the default prices).
  const double hour = number(result, "/cost/usd_per_gpu_hour/total") * 1024;
  const double millions = 3600 * 0.9 * number(step, "/tokens_per_s") / 1e6;
  CHECK(number(result, "/cost/usd_per_million_tokens") == Approx(hour / millions));
  CHECK(number(result, "/storage/checkpoint_gb") == Approx(14 * 70.55).epsilon(0.01));  // 14 B a parameter
  CHECK(result.at("scenario").at("job").at("task").as_text() == "pretrain");
}

TEST_CASE("without a job watts are typical ones, and tokens have no price", "[cli][size]") {
  const JsonValue result = sized(superpod_file);
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
      room.run("size " + sized_job + "--set cluster.facility.rack.nodes=2 --prices 2024-h100 --format json");
  const JsonValue result = first.json();
  room.write("effective.json", write_json(result.at("scenario")));
  const JsonValue again = sized(room, "effective.json");
  for (const char* key : {"/racks/total", "/facility_kw", "/capex_usd", "/cost/usd_per_million_tokens"})
    CHECK(number(again, key) == Approx(number(result, key)));
}

TEST_CASE("the effective scenario of a run can be sized", "[cli][size]") {
  const ProgramRoom room;
  room.write("effective.json", write_json(room.run("run " + sized_job + "--format json").json().at("scenario")));
  CHECK(number(sized(room, "effective.json"), "/capex_usd") == Approx(number(sized(sized_job), "/capex_usd")));
}

TEST_CASE("a job that does not fit fails its constraint, has no price per token and ends as run does", "[cli][size]") {
  const ProgramRoom room;
  const std::string too_large = sized_job + "--set job.parallel.tensor=1 --set job.parallel.pipeline=1 ";
  const Outcome outcome = room.run("size " + too_large + "--format json");
  CHECK(outcome.code == 1);
  CHECK(room.run("run " + too_large).code == 1);
  const JsonValue result = outcome.json();
  CHECK_FALSE(result.at("step").at("fits").as_boolean());
  CHECK_FALSE(result.at("holds").as_boolean());
  CHECK(result.at_pointer("/cost/usd_per_million_tokens")->is_null());
  CHECK(has(result.at("warnings").elements().back().as_text(), "the job does not fit: "));
  const Outcome table = room.run("size " + too_large);
  CHECK(has(table.out, "constraints does not hold, first: memory for the job"));
  CHECK(has(table.out, "Next: change the job: with job."));
}

// --- Prices ----------------------------------------------------------------------------------------------------------

TEST_CASE("prices are a name, a file, a field of the scenario or a setting", "[cli][size]") {
  const ProgramRoom room;
  const auto list = [](const JsonValue& result) { return result.at("cost").at("price_list").as_text(); };
  CHECK(list(sized(superpod_file)) == "catalog prices, November 2026");
  CHECK(list(sized(superpod_file + "--prices 2024-h100")) == "H100 clusters, August 2024");
  room.write("mine.json", R"({"like": "2024-h100", "name": "mine", "parts_usd": {"DGX H100": 200000}})");
  const JsonValue mine = sized(room, superpod_file + "--prices mine.json");
  CHECK(list(mine) == "mine");
  room.write("over.json", R"({"like": "mine.json", "name": "over", "parts_usd": {"SN2201": 1}})");
  CHECK(number(sized(room, superpod_file + "--prices over.json"), "/cost/capex_usd/compute") == 129 * 200'000);
  CHECK(number(mine, "/cost/capex_usd/compute") == 129 * 200'000);  // 127 and two spare nodes
  CHECK(mine.at("inputs").elements().back().at("path").as_text() == CLUSTERWRIGHT_CONFIGS "/prices/2024-h100.json");
  CHECK(list(sized(sized_job + "--set prices.like=2024-h100")) == "H100 clusters, August 2024");
  CHECK(list(sized(sized_job + "--set prices.like=2024-h100 --prices default")) == "H100 clusters, August 2024");
  const double usual = number(sized(sized_job), "/cost/opex_usd_per_year/energy");
  const JsonValue dear = sized(sized_job + "--set prices.electricity_usd_per_kwh=0.16");
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
  check_refused("size " + superpod_file + "--prices 2025-h100 -o out.json", "E0203", "did you mean \"2024-h100\"?");
  check_refused("size " + superpod_file + "--prices 2025-h100 -o out.json", "E0203", "--prices:1:1");
  check_refused("size " + superpod_file + "--prices missing.json -o out.json", "E0401", "missing.json");
  room.write("bad.json", "{\"parts_usd\": {\n  \"DGX H100\": -1}}");
  check_refused(room, "size " + superpod_file + "--prices bad.json -o out.json", "E0202", "bad.json:2:15");
  room.write("bad.json", R"({"parts_usd": {"DGX H1000": 1}})");
  check_refused(room, "size " + superpod_file + "--prices bad.json -o out.json", "E0203", "did you mean \"DGX H100\"?");
  room.write("bad.json", R"({"electricity": 1})");
  check_refused(room, "size " + superpod_file + "--prices bad.json -o out.json", "E0102", "electricity_usd_per_kwh");
  check_refused("size " + sized_job + "--set prices.electricity_usd_per_kwh=-0.1", "E0202",
                "--set prices.electricity_usd_per_kwh:1:1");
}
