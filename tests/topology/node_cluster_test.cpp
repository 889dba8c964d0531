// SPDX-License-Identifier: Apache-2.0
// Clusters whose nodes are given by name, span racks, or are of several kinds.
#include <filesystem>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"
#include "support/ids.hpp"
#include "topology/cluster/cluster.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
using clusterwright::testing::shipped_parts;

namespace {

JsonValue parsed(const std::string& text) {
  return read_json(std::make_shared<const SourceText>("c.json", text));
}

Cluster build_from(const JsonValue& json) {
  return build_cluster(decode_record<ClusterSpec>(json), shipped_parts(), json);
}

Cluster built_from(const std::string& name) {
  return build_from(read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (name + ".json")));
}

/// A cluster of these nodes behind one switch.
JsonValue cluster_of(int accelerators, const std::string& node, const std::string& also = "[]") {
  return parsed(R"({"name": "test", "accelerators": )" + std::to_string(accelerators) + R"(, "node": )" + node +
                R"(, "also": )" + also +
                R"(, "fabric": {"tiers": [{"name": "leaf", "accelerators": 4096}], "hop_latency_us": 1}})");
}

std::vector<Diagnostic> all_errors(const JsonValue& json) {
  try {
    build_from(json);
  } catch (const ConfigError& error) {
    return error.diagnostics();
  }
  return {};
}

std::string codes_of(const JsonValue& json) {
  std::string codes;
  for (const Diagnostic& error : all_errors(json)) codes += (codes.empty() ? "" : " ") + error.code;
  return codes;
}

std::string places_of(const Diagnostic& error) {
  std::string places;
  for (const Place& place : error.places) places += (places.empty() ? "" : " ") + place.pointer;
  return places;
}

constexpr const char* a100_nodes = R"([{"accelerators": 16, "node": {"part": "DGX A100"}}])";

}  // namespace

TEST_CASE("a node may be given by its name alone", "[topology][cluster]") {
  const Cluster cluster = build_from(cluster_of(64, R"({"part": "DGX H100"})"));
  CHECK(cluster.nodes() == 8);
  CHECK(cluster.accelerator.id == "H100-SXM");
  CHECK(cluster.network_per_accelerator().in(gigabit_per_second) == Approx(400));
  CHECK(cluster.scale_up_bandwidth.in(gigabyte_per_second) == Approx(450));
  CHECK(cluster.switch_reduction);
  CHECK(cluster.spec.node.accelerator == "H100-SXM");  // so that results say what was taken
  CHECK(cluster.spec.node.host_power.value.in(watt) == Approx(2710));
}

TEST_CASE("a node that contradicts its name is an error with both places", "[topology][cluster]") {
  const auto other = all_errors(cluster_of(64, R"({"part": "DGX H100", "accelerator": "H200"})"));
  REQUIRE(other.size() == 1);
  CHECK(other[0].code == "E0322");
  CHECK(places_of(other[0]) == "/node/accelerator /node/part");
  const auto more = all_errors(cluster_of(64, R"({"part": "DGX H100", "accelerators": 16})"));
  REQUIRE(more.size() == 1);
  CHECK(places_of(more[0]) == "/node/accelerators /node/part");
  CHECK(codes_of(cluster_of(64, R"({"part": "DGX H100", "accelerator": "H100-SXM", "accelerators": 4})")).empty());
}

TEST_CASE("an unknown name, and a node without accelerators, are errors", "[topology][cluster]") {
  const auto unknown = all_errors(cluster_of(64, R"({"part": "DGX H10"})"));
  REQUIRE(unknown.size() == 2);  // and no network, as its NICs are not known
  CHECK(unknown[0].message == "unknown node \"DGX H10\"");
  CHECK(unknown[0].help.find("did you mean \"DGX H100\"?") == 0);
  CHECK(places_of(unknown[0]) == "/node/part");
  CHECK(codes_of(cluster_of(8, R"({"nic": "ConnectX-7 NDR"})")) == "E0104");
}

TEST_CASE("the trays of a rack are nodes of one domain", "[topology][cluster]") {
  const Cluster rack = built_from("gb200-nvl72");
  CHECK(rack.nodes() == 18);
  CHECK(rack.node_accelerators == 4);
  CHECK(rack.domain == 72);
  CHECK(rack.domains() == 1);
  CHECK(rack.inner_bandwidth(72).in(gigabyte_per_second) == Approx(900));
  const Cluster racks = built_from("gb200-nvl72-9racks");
  CHECK(racks.nodes() == 162);
  CHECK(racks.domains() == 9);
  CHECK(resized(racks, 100).domains() == 2);  // the second is filled in part
}

TEST_CASE("a rack needs no network, two do", "[topology][cluster]") {
  JsonValue json = parsed(R"({"name": "test", "accelerators": 72, "node": {"part": "GB200 compute tray", "nics": 0}})");
  CHECK(codes_of(json).empty());
  json = parsed(R"({"name": "test", "accelerators": 76, "node": {"part": "GB200 compute tray", "nics": 0}})");
  CHECK(codes_of(json) == "E0304 E0304");  // neither NICs nor tiers
}

TEST_CASE("a number that fills no node says nothing of the network", "[topology][cluster]") {
  const JsonValue json = parsed(R"({"name": "test", "accelerators": 9, "node": {"part": "DGX H100"}})");
  CHECK(codes_of(json) == "E0301");
}

TEST_CASE("domains and nodes nest, and a torus fills its domain", "[topology][cluster]") {
  CHECK(codes_of(cluster_of(64, R"({"part": "GB200 compute tray", "scale_up_domain": 6})")) == "E0325");
  CHECK(codes_of(cluster_of(64, R"({"part": "GB200 compute tray", "scale_up_domain": 64})")).empty());
  CHECK(codes_of(cluster_of(
            64, R"({"part": "AWS trn2.48xlarge", "nic": "ConnectX-6 HDR", "scale_up_torus": [4, 5]})")) == "E0325");
}

TEST_CASE("links that nobody knows are an error", "[topology][cluster]") {
  CHECK(codes_of(cluster_of(64, R"({"accelerator": "TPU-v3", "scale_up": "none", "nic": "ConnectX-6 HDR"})")) ==
        "E0326");
  CHECK(codes_of(cluster_of(64, R"({"accelerator": "L40S", "scale_up": "switch", "nic": "ConnectX-6 HDR"})")) ==
        "E0326");
}

TEST_CASE("inner bandwidth follows what joins the members", "[topology][cluster]") {
  const Cluster pairs = built_from("a100-pcie");
  CHECK(pairs.inner_bandwidth(2).in(gigabyte_per_second) == Approx(300));
  CHECK(pairs.inner_bandwidth(8).in(gigabyte_per_second) == Approx(22));
  Cluster mesh = built_from("mi300x-64");
  CHECK(mesh.inner_bandwidth(4).in(gigabyte_per_second) == Approx(192));
  mesh.scale_up_bandwidth = 2.0 * mesh.scale_up_bandwidth;  // as a sensitivity does
  CHECK(mesh.inner_bandwidth(4).in(gigabyte_per_second) == Approx(384));
}

TEST_CASE("a mixed cluster knows the group of every node", "[topology][cluster]") {
  const Cluster cluster = build_from(cluster_of(32, R"({"part": "DGX H100"})", a100_nodes));
  CHECK(cluster.mixed());
  CHECK(cluster.nodes() == 4);
  REQUIRE(cluster.groups.size() == 2);
  CHECK(cluster.groups[0].accelerators() == 16);
  CHECK(cluster.groups[1].first_node == 2_node);
  CHECK(cluster.group_of_node(1_node).accelerator.id == "H100-SXM");
  CHECK(cluster.group_of_node(2_node).accelerator.id == "A100-80-SXM");
  CHECK(cluster.group_of_node(2_node).nic_bandwidth.in(gigabit_per_second) == Approx(200));
  CHECK(cluster.group_of_node(3_node).links.ring_bandwidth(8).in(gigabyte_per_second) == Approx(300));
  CHECK_THROWS_AS(cluster.group_of_node(4_node), std::invalid_argument);
  CHECK_THROWS_AS(cluster.group_of_node(NodeId()), std::invalid_argument);
  const Cluster larger = resized(cluster, 48);
  CHECK(larger.nodes() == 6);
  CHECK(larger.group_of_node(3_node).accelerator.id == "H100-SXM");
  CHECK(larger.group_of_node(4_node).accelerator.id == "A100-80-SXM");
  CHECK_THROWS_AS(resized(cluster, 16), ConfigError);
}

TEST_CASE("the groups of a mixed cluster add up", "[topology][cluster]") {
  const auto none_left = all_errors(cluster_of(16, R"({"part": "DGX H100"})", a100_nodes));
  REQUIRE(none_left.size() == 1);
  CHECK(none_left[0].code == "E0323");
  CHECK(places_of(none_left[0]) == "/accelerators /also");
  const auto odd =
      all_errors(cluster_of(32, R"({"part": "DGX H100"})", R"([{"accelerators": 12, "node": {"part": "DGX A100"}}])"));
  REQUIRE(odd.size() == 2);  // neither 20 nor 12 are whole nodes
  CHECK(places_of(odd[1]).find("/also/0/accelerators") == 0);
  const auto unlike = all_errors(
      cluster_of(20, R"({"part": "DGX H100"})", R"([{"accelerators": 4, "node": {"part": "GB200 compute tray"}}])"));
  REQUIRE(unlike.size() == 1);
  CHECK(unlike[0].code == "E0323");
  CHECK(places_of(unlike[0]) == "/also/0/node /node");
}

TEST_CASE("errors in further groups have their places", "[topology][cluster]") {
  const auto errors = all_errors(cluster_of(
      32, R"({"part": "DGX H100"})",
      R"([{"accelerators": 16, "node": {"accelerator": "A100-80-SXN", "nic": "ConnectX-6 HDR", "host_power_w": 1}}])"));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "E0203");
  CHECK(places_of(errors[0]) == "/also/0/node/accelerator");
}
