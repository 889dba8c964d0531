// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/cluster.hpp"

#include <filesystem>
#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const Catalog& catalog() {
  static const Catalog loaded = load_catalog(configs / "parts");
  return loaded;
}

Cluster build(const JsonValue& json, const std::string& pointer = {}) {
  return build_cluster(decode_record<ClusterSpec>(json), catalog(), json, pointer);
}

Cluster shipped(const std::string& name) {
  return build(read_json_file(configs / "clusters" / (name + ".json")));
}

/// A sound cluster of 64, in which a test replaces one thing.
JsonValue sound() {
  return read_json(std::make_shared<const SourceText>("c.json", R"({
    "name": "test", "accelerators": 64,
    "node": {"accelerator": "H100-SXM", "accelerators": 8, "nic": "ConnectX-7 NDR", "nics": 8, "host_power_w": 4600},
    "fabric": {"tiers": [{"name": "leaf", "accelerators": 32}, {"name": "spine", "accelerators": 128}],
               "hop_latency_us": 0.25}
  })"));
}

JsonValue& at(JsonValue& root, const std::string& pointer) {
  return const_cast<JsonValue&>(*root.at_pointer(pointer));
}

/// Keeps the place of what is replaced.
void replace(JsonValue& root, const std::string& pointer, JsonValue value) {
  JsonValue& old = at(root, pointer);
  value.source = old.source;
  value.offset = old.offset;
  value.length = old.length;
  old = value;
}

std::vector<Diagnostic> errors_of(const JsonValue& json, const std::string& pointer = {}) {
  try {
    build(json, pointer);
  } catch (const ConfigError& error) {
    return error.diagnostics();
  }
  FAIL("accepted");
  return {};
}

Diagnostic error_after(const std::string& pointer, JsonValue value) {
  JsonValue json = sound();
  replace(json, pointer, std::move(value));
  const auto errors = errors_of(json);
  REQUIRE(errors.size() == 1);
  return errors[0];
}

}  // namespace

TEST_CASE("the cluster of the Llama 3 report", "[topology][cluster]") {
  const Cluster cluster = shipped("llama3-report");
  CHECK(cluster.nodes() == 2048);
  CHECK(cluster.accelerator.id == "H100-SXM");
  CHECK(cluster.scale_up_bandwidth.in(gigabyte_per_second) == Approx(450));
  CHECK(cluster.network_per_accelerator().in(gigabit_per_second) == Approx(400));
  REQUIRE(cluster.fabric.tiers().size() == 3);
  CHECK(cluster.fabric.tiers()[1].uplink_capacity.in(gigabit_per_second) == Approx(3072 * 400 / 7.0));
  CHECK(cluster.spec.fabric.transport == Transport::roce);
}

TEST_CASE("the other shipped clusters", "[topology][cluster]") {
  const Cluster h100 = shipped("h100-superpod");
  CHECK(h100.nodes() == 128);
  CHECK(h100.nic_bandwidth.in(gigabit_per_second) == Approx(400));  // of the part
  CHECK(h100.spec.node.host_power.value.in(watt) == Approx(2700));
  const Cluster a100 = shipped("a100-superpod");
  CHECK(a100.nodes() == 128);
  CHECK(a100.network_per_accelerator().in(gigabit_per_second) == Approx(200));
  CHECK(a100.spec.node.host_power.value.in(watt) == Approx(2000));
}

TEST_CASE("every shipped cluster can be built, and says where it comes from", "[topology][cluster]") {
  for (const auto& entry : std::filesystem::directory_iterator(configs / "clusters")) {
    INFO(entry.path().string());
    const Cluster cluster = build(read_json_file(entry.path()));
    CHECK_FALSE(cluster.spec.source.empty());
    CHECK(cluster.spec.node.host_power.source != "user");
  }
}

TEST_CASE("a single node needs no network", "[topology][cluster]") {
  const Cluster cluster = shipped("h100-single-node");
  CHECK(cluster.nodes() == 1);
  CHECK(cluster.nic_bandwidth == BytesPerSecond{});
  CHECK(cluster.network_per_accelerator() == BytesPerSecond{});
  CHECK(cluster.fabric.tiers().empty());
}

TEST_CASE("the rate of a NIC may be given instead of the part's", "[topology][cluster]") {
  JsonValue json = sound();
  at(json, "/node").set("nic_rate_gbit_per_s", 200);
  CHECK(build(json).nic_bandwidth.in(gigabit_per_second) == Approx(200));
  replace(json, "/node/nic", "");
  CHECK(build(json).nic_bandwidth.in(gigabit_per_second) == Approx(200));
}

TEST_CASE("an unknown accelerator is an error in the shape of the manual", "[topology][cluster]") {
  const std::string text = render(error_after("/node/accelerator", "H100-SXN"));
  CHECK(text.find("error[E0203]: unknown accelerator \"H100-SXN\"\n  --> c.json:3:29  (/node/accelerator)\n") == 0);
  CHECK(text.find("^^^^^^^^^^ not in the catalog\n") != std::string::npos);
  CHECK(text.find("   = help: did you mean \"H100-SXM\"?   (list all: clusterwright catalog accelerators)\n") !=
        std::string::npos);
}

TEST_CASE("unknown NICs and switches are errors too", "[topology][cluster]") {
  CHECK(error_after("/node/nic", "ConnectX-7").message == "unknown nic \"ConnectX-7\"");
  JsonValue json = sound();
  at(json, "/fabric/tiers/1").set("switch", "QM9701");
  const auto errors = errors_of(json);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "E0203");
  CHECK(errors[0].help.find("(list all: clusterwright catalog switches)") != std::string::npos);
}

TEST_CASE("accelerators come in whole nodes or in equal parts of nodes", "[topology][cluster]") {
  const Diagnostic error = error_after("/accelerators", 61);
  CHECK(error.code == "E0301");
  REQUIRE(error.places.size() == 2);
  CHECK(error.places[0].pointer == "/accelerators");
  CHECK(error.places[1].pointer == "/node/accelerators");
}

TEST_CASE("accelerators fit the top tier", "[topology][cluster]") {
  const Diagnostic error = error_after("/accelerators", 136);
  CHECK(error.code == "E0302");
  CHECK(error.places.at(1).pointer == "/fabric/tiers/1/accelerators");
}

TEST_CASE("tiers nest", "[topology][cluster]") {
  const Diagnostic leaf = error_after("/fabric/tiers/0/accelerators", 4);  // half a node; 128 is a multiple of it
  CHECK(leaf.code == "E0303");
  CHECK(leaf.places.at(1).pointer == "/node/accelerators");
  const Diagnostic spine = error_after("/fabric/tiers/1/accelerators", 72);
  CHECK(spine.code == "E0303");
  CHECK(spine.places.at(0).pointer == "/fabric/tiers/1/accelerators");
  CHECK(spine.places.at(1).pointer == "/fabric/tiers/0/accelerators");
  CHECK(spine.message == "tiers must nest: the size must be a multiple of 32 (got 72, tier \"leaf\" has 32)");
}

TEST_CASE("several nodes need a network", "[topology][cluster]") {
  CHECK(error_after("/node/nics", 0).code == "E0304");
  CHECK(error_after("/node/nic", "").code == "E0304");
  JsonValue json = sound();
  at(json, "/fabric").set("transport", "none");
  CHECK(errors_of(json).at(0).code == "E0304");
}

TEST_CASE("all contradictions are reported together", "[topology][cluster]") {
  JsonValue json = sound();
  replace(json, "/accelerators", 1009);
  replace(json, "/node/accelerator", "X");
  replace(json, "/node/nics", 0);
  CHECK(errors_of(json).size() == 4);  // unknown part, no multiple, beyond the top tier, no NICs
}

TEST_CASE("places follow a cluster that stands inside a scenario", "[topology][cluster]") {
  JsonValue json = sound();
  replace(json, "/accelerators", 61);
  CHECK(errors_of(json, "/cluster").at(0).places.at(0).pointer == "/cluster/accelerators");
}

TEST_CASE("a place of a value that was left to its default is where it would stand", "[topology][cluster]") {
  JsonValue json = sound();
  json.members().pop_back();  // "fabric"
  at(json, "/node").set("nics", 0);
  const auto errors = errors_of(json);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].places.at(0).pointer == "/node/nics");
  CHECK(errors[1].places.at(0).pointer.empty());
}

TEST_CASE("a node from a file of its own is named with that file's pointer", "[topology][cluster]") {
  JsonValue json = sound();
  at(json, "/node") = read_json(std::make_shared<const SourceText>(
      "node.json", R"({"accelerator": "H200X", "nic": "ConnectX-7 NDR", "host_power_w": 1})"));
  const auto errors = errors_of(json);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].places[0].source->name() == "node.json");
  CHECK(errors[0].places[0].pointer == "/accelerator");
}

TEST_CASE("a cluster can be resized within its top tier", "[topology][cluster]") {
  const Cluster cluster = shipped("llama3-report");
  const Cluster half = resized(cluster, 8192);
  CHECK(half.nodes() == 1024);
  CHECK(half.fabric.tiers().size() == 3);
  CHECK(cluster.nodes() == 2048);
  CHECK_THROWS_AS(resized(cluster, 24584), ConfigError);
  CHECK_THROWS_AS(resized(cluster, 101), ConfigError);
  CHECK_THROWS_AS(resized(cluster, 0), ConfigError);
  CHECK_THROWS_AS(resized(shipped("h100-single-node"), 16), ConfigError);
}
