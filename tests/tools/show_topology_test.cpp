// SPDX-License-Identifier: Apache-2.0
// `clusterwright show --topology`, as a user runs it and as facts of networks that can be counted by hand.
#include "support/program_room.hpp"
#include "support/shipped_clusters.hpp"
#include "tools/output/topology_facts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string cluster_file(const std::string& name) {
  return "'" CLUSTERWRIGHT_CONFIGS "/clusters/" + name + ".json' ";
}

JsonValue shown(const std::string& arguments) {
  const ProgramRoom room;
  const Outcome outcome = room.run("show " + arguments + " --format json");
  INFO("clusterwright show " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.json();
}

JsonValue counts(const std::string& arguments) {
  return shown(arguments).at("counts");
}

/// The first of a list whose `key` is `value`.
JsonValue entry(const JsonValue& list, const std::string& key, const std::string& value) {
  for (const JsonValue& element : list.elements())
    if (element.at(key).as_text() == value) return element;
  FAIL("no entry " << value);
  return {};
}

}  // namespace

TEST_CASE("two full tiers of 64-port switches are counted port by port", "[cli][show]") {
  const JsonValue found = counts(cluster_file("h100-2tier") + "--topology");
  CHECK(found.at("gpus").as_integer() == 2048);
  CHECK(found.at("nodes").as_integer() == 256);
  CHECK(found.at("domains").as_integer() == 256);
  CHECK(found.at("nics").as_integer() == 2048);
  // 8 groups of 256 GPUs with a leaf for each of 8 rails: 32 ports down, 32 up. 2,048 cables up take 32 spines.
  const JsonValue leaf = entry(found.at("switches"), "tier", "leaf");
  CHECK(leaf.at("count").as_integer() == 64);
  CHECK(leaf.at("ports_used_max").as_integer() == 64);
  CHECK(leaf.at("ports").as_integer() == 64);
  CHECK(entry(found.at("switches"), "tier", "spine").at("count").as_integer() == 32);
  const JsonValue up = entry(found.at("cables"), "kind", "leaf-spine");
  CHECK(up.at("count").as_integer() == 2048);
  CHECK(up.at("gbit_per_s").as_number() == Approx(400));
  CHECK(found.at("diameter_switches").as_integer() == 3);
  CHECK(found.at("diameter_us").as_number() == Approx(3 * 0.25));
  CHECK(found.at("bisection_gb_per_s").as_number() == Approx(1024 * 50));
  CHECK(found.at("bisection_share").as_number() == Approx(1));
  CHECK(found.at("bisection_by").as_text() == "max_flow");
}

TEST_CASE("a taper of seven is seen in the tiers and in the bisection", "[cli][show]") {
  const JsonValue found = counts(cluster_file("llama3-report"));
  const JsonValue pod = entry(found.at("tiers"), "name", "pod");
  CHECK(pod.at("groups").as_integer() == 6);
  CHECK(pod.at("tapered").as_boolean());
  CHECK(pod.at("taper").as_number() == Approx(7));
  CHECK(entry(found.at("tiers"), "name", "aggregation").at("taper").is_null());
  CHECK(found.at("bisection_share").as_number() < 0.5);
  CHECK(entry(found.at("switches"), "tier", "rack").at("ports").is_null());  // no part is named
}

TEST_CASE("in every shipped cluster the graph and the nested groups agree on reach and bisection", "[show]") {
  for (const std::string& name : shipped_cluster_names()) {
    INFO(name);
    const Cluster cluster_file = shipped_cluster(name);
    const std::optional<Network> network = network_of(cluster_file);
    if (!network || cluster_file.mixed()) continue;
    const TopologyFacts facts = topology_facts(cluster_file, *network);
    CHECK(facts.farthest.in(microsecond) == Approx(cluster_file.fabric.tiers().back().turn_latency.in(microsecond)));
    const BytesPerSecond groups =
        cluster_file.fabric.bisection(cluster_file.spec.accelerators, cluster_file.network_per_accelerator());
    // Of Frontier's 74 groups the last is half empty, so that its halves do not end with a group. The graph halves
    // whole nodes, the groups an odd number of them in the middle of one.
    const double odd = cluster_file.nodes() % 2 == 0 ? 0.001 : 1.01 / cluster_file.nodes();
    CHECK(facts.bisection.in(gigabyte_per_second) == Approx(groups.in(gigabyte_per_second)).epsilon(odd));
    CHECK(facts.cut_off.empty());
    for (const auto& switches : facts.switches)
      CHECK((switches.ports == 0 || switches.ports_used_max <= static_cast<std::size_t>(switches.ports)));
  }
}

TEST_CASE("nodes of several kinds are listed, and each NIC has its own rate", "[cli][show]") {
  const JsonValue found = counts(cluster_file("mixed-h100-a100"));
  CHECK(found.at("gpus").as_integer() == 128);
  REQUIRE(found.at("kinds").elements().size() == 2);
  CHECK(entry(found.at("kinds"), "accelerator", "A100-80-SXM").at("gpus").as_integer() == 64);
  // The 64 NICs of the A100 nodes, the upper half, take 25 GB/s each.
  CHECK(found.at("bisection_gb_per_s").as_number() == Approx(64 * 25));
  CHECK(found.at("bisection_share").as_number() == Approx(0.5));
  CHECK(entry(found.at("cables"), "kind", "node-leaf").at("gbit_per_s").as_number() == Approx(200));
  const ProgramRoom room;
  CHECK(has(room.run("show " + cluster_file("mixed-h100-a100")).out, "64 x H100-SXM + 64 x A100-80-SXM"));
}

TEST_CASE("domains of racks that act as one are counted", "[cli][show]") {
  const JsonValue found = counts(cluster_file("gb200-nvl72-9racks"));
  CHECK(found.at("nodes").as_integer() == 162);
  CHECK(found.at("domains").as_integer() == 9);
  const ProgramRoom room;
  CHECK(has(room.run("show " + cluster_file("gb200-nvl72-9racks")).out, "9 of 72 GPUs"));
}

TEST_CASE("without a network there is nothing to cross and nothing to measure", "[cli][show]") {
  const JsonValue found = counts(cluster_file("h100-single-node"));
  CHECK(found.at("switches").elements().empty());
  CHECK(found.at("cables").elements().empty());
  CHECK(found.at("diameter_switches").is_null());
  CHECK(found.at("bisection_by").is_null());
  CHECK(found.at("bisection_gb_per_s").as_number() == 0);
  CHECK(found.at("domains").as_integer() == 1);
}

TEST_CASE("a failed leaf cuts its NICs off, and the lower half sends that much less", "[cli][show]") {
  const JsonValue json = shown(cluster_file("h100-2tier") + "--topology --fail leaf:0");
  CHECK(json.at("counts").at("bisection_gb_per_s").as_number() == Approx(1024 * 50));
  const JsonValue after = json.at("after_failures");
  CHECK(after.at("failures").elements().at(0).as_text() == "leaf:0");
  CHECK(after.at("nics_cut_off").elements().size() == 32);
  CHECK(after.at("nics_cut_off").elements().at(1).as_text() == "node 1 nic 0");
  CHECK(after.at("bisection_gb_per_s").as_number() == Approx((1024 - 32) * 50));
  const ProgramRoom room;
  CHECK(has(room.run("show " + cluster_file("h100-2tier") + "--fail leaf:0").out, "32: nic 0 of nodes 0-31"));
}

TEST_CASE("failures add up: a spine, and a slow cable beside it", "[cli][show]") {
  const JsonValue after = shown(cluster_file("h100-2tier") + "--fail spine:3 --fail node:0.0=0.5").at("after_failures");
  // 32 leaves of the lower half keep 31 of 32 cables up, 49,600 GB/s; one of them has only 31.5 NICs to send.
  CHECK(after.at("bisection_gb_per_s").as_number() == Approx(32 * 31 * 50));
  CHECK(after.at("nics_cut_off").elements().empty());
  CHECK(entry(after.at("cables"), "kind", "leaf-spine").at("count").as_integer() == 2048 - 64);
  CHECK(entry(after.at("cables"), "kind", "node-leaf").at("gbit_per_s").as_number() == Approx(200));
  CHECK(after.at("diameter_switches").as_integer() == 3);
}

TEST_CASE("when the link between two places fails, the way leads over a third", "[cli][show]") {
  const JsonValue json = shown(cluster_file("consumer-gpus-wan") + "--fail site:0-site:1");
  CHECK(json.at("counts").at("diameter_us").as_number() == Approx(15000 + 4 * 5));
  CHECK(json.at("after_failures").at("diameter_us").as_number() == Approx(2 * 15000 + 5 * 5));
  CHECK(json.at("after_failures").at("diameter_switches").as_integer() == 5);
  const ProgramRoom room;
  CHECK(
      has(room.run("show " + cluster_file("consumer-gpus-wan")).out, "8, any two joined by 1.000 Gbit/s and 15.00 ms"));
}

TEST_CASE("a rail that fails altogether leaves no way, and says so", "[cli][show]") {
  // One node alone on a rail is as good as none: it is the others that are cut off.
  const JsonValue after = shown(cluster_file("mi300x-64") + "--fail leaf:0").at("after_failures");
  CHECK(after.at("bisection_gb_per_s").as_number() == 0);
  CHECK(after.at("nics_cut_off").elements().size() == 8 * (8 - 1));
}

TEST_CASE("networks too large for maximum flow get the bound from the groups, and it is named", "[cli][show]") {
  const ProgramRoom room;
  room.write("large.json", R"({"name": "large", "accelerators": 262144, "node": {"part": "TPU v5p chip"},
    "fabric": {"kind": "torus", "transport": "roce", "link_rate_gbit_per_s": 720, "torus": {"sides": [64, 64, 64]},
               "hop_latency_us": 1}})");
  const Outcome outcome = room.run("show large.json --format json");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const JsonValue found = outcome.json().at("counts");
  CHECK(found.at("bisection_by").as_text() == "tiers");
  CHECK(found.at("bisection_gb_per_s").as_number() == Approx(2.0 * 64 * 64 * 90));  // two cuts of 64 x 64 links
  CHECK(found.at("diameter_switches").as_integer() == 1 + 3 * 32);
}

TEST_CASE("settings change the cluster that is shown, of a cluster file and of a scenario", "[cli][show]") {
  CHECK(counts(cluster_file("h100-2tier") + "--set accelerators=1024").at("nodes").as_integer() == 128);
  const std::string scenario = "'" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-405b-h100.json' ";
  CHECK(counts(scenario + "--topology --set cluster.accelerators=8192").at("gpus").as_integer() == 8192);
}

TEST_CASE("asking for a topology that is not there is refused with what would be right", "[cli][show]") {
  check_refused("show " + cluster_file("h100-2tier") + "--fail spine:99", "E0321", "spine (32)");
  check_refused("show " + cluster_file("h100-2tier") + "--fail spin:1", "E0321", "did you mean \"spine\"?");
  check_refused("show " + cluster_file("h100-2tier") + "--fail leaf:0-leaf:1", "E0321",
                "names a cable that the fabric does not have");
  check_refused("show " + cluster_file("h100-2tier") + "--fail leaf", "E0321", "cannot read the fault");
  check_refused("show " + cluster_file("h100-single-node") + "--fail leaf:0", "E0321", "no network");
  const std::string transformer = "'" CLUSTERWRIGHT_CONFIGS "/transformers/llama3-8b.json' ";
  check_refused("show " + transformer + "--topology", "E0105", "neither a cluster nor a scenario");
  check_refused("show " + transformer + "--format dot", "E0105", "neither a cluster nor a scenario");
  check_refused("show " + transformer + "--fail leaf:0", "E0105", "neither a cluster nor a scenario");
  check_refused("show " + cluster_file("h100-2tier") + "--format html", "E0404", "table, json, csv, md, dot");
  check_refused("show " + cluster_file("h100-2tier") + "--set acelerators=8", "E0402", "accelerators");
}

TEST_CASE("catalog nodes says what is in a node, how far it reaches inside, and what it may draw", "[cli][catalog]") {
  const ProgramRoom room;
  const Outcome outcome = room.run("catalog nodes --format csv");
  REQUIRE(outcome.code == 0);
  CHECK(has(outcome.out, "id,accelerator,accelerators,nic,nics,domain,max_power_kw,host_power_w\r\n"));
  CHECK(has(outcome.out, "DGX H100,H100-SXM,8,ConnectX-7 NDR,8,8,10.2,"));
  CHECK(has(outcome.out, "GB200 compute tray,GB200-GPU,4,ConnectX-7 NDR,4,72,"));
}

TEST_CASE("a machine whose scale-up links join all nodes is shown without a network", "[cli][show]") {
  const ProgramRoom room;
  room.write("slice.json",
             R"({"name": "slice", "accelerators": 4096, "node": {"part": "TPU v5p host of a 16x16x16 slice"}})");
  const Outcome outcome = room.run("show slice.json --topology");
  REQUIRE(outcome.code == 0);
  CHECK(has(outcome.out, "1 of 4096 GPUs"));
}
