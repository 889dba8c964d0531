// SPDX-License-Identifier: Apache-2.0
// Parts that a cluster file brings along.
#include <filesystem>
#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;

namespace {

Cluster build(const std::string& parts, const std::string& node) {
  static const Catalog catalog = load_catalog(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parts");
  const JsonValue json = read_json(std::make_shared<const SourceText>(
      "c.json", "{\"name\": \"test\", \"accelerators\": 8,\n \"parts\": " + parts + ",\n \"node\": " + node + "}"));
  return build_cluster(decode_record<ClusterSpec>(json), catalog, json);
}

const std::string chip = R"({"id": "Chip-1", "vendor": "Somebody", "peak_dense_tflops": {"bf16": 500},
    "memory_gb": 64, "memory_bandwidth_tb_per_s": 3, "scale_up_bandwidth_gb_per_s": 300, "power_w": 400})";

void check_refused(const std::string& parts, const std::string& node, const std::string& code,
                   const std::string& pointer, std::size_t line) {
  try {
    build(parts, node);
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].code == code);
    const Place& place = error.diagnostics()[0].places.at(0);
    CHECK(place.pointer == pointer);
    CHECK(place.source->locate(place.offset).line == line);
  }
}

}  // namespace

TEST_CASE("a cluster may bring the accelerator that its nodes hold", "[topology][node]") {
  const Cluster cluster = build("{\"accelerators\": [" + chip + "]}", R"({"accelerator": "Chip-1", "nics": 0})");
  CHECK(cluster.accelerator.vendor == "Somebody");
  CHECK(cluster.accelerator.power.value.in(watt) == Approx(400));
  CHECK(cluster.accelerator.power.source == "user");
  CHECK(cluster.scale_up_bandwidth.in(gigabyte_per_second) == Approx(300));
}

TEST_CASE("own nodes and NICs stand beside those of the catalog", "[topology][node]") {
  const Cluster cluster = build("{\"accelerators\": [" + chip + R"(],
      "nics": [{"id": "Nic-1", "rate_gbit_per_s": 123}],
      "nodes": [{"id": "Box-1", "accelerator_id": "Chip-1", "accelerator_count": 4, "nic_id": "Nic-1", "nic_count": 2,
                 "host_power_w": 300}]})",
                                R"({"part": "Box-1", "scale_up_domain": 8})");
  CHECK(cluster.node_accelerators == 4);
  CHECK(cluster.nics == 2);
  CHECK(cluster.nic_bandwidth.in(gigabit_per_second) == Approx(123));
  CHECK(cluster.spec.node.host_power.value.in(watt) == Approx(300));
}

TEST_CASE("an own part must not take an id of the catalog", "[topology][node]") {
  std::string taken = chip;
  taken.replace(taken.find("Chip-1"), 6, "H100-SXM");
  check_refused("{\"accelerators\": [" + taken + "]}", R"({"accelerator": "H100-SXM", "nics": 0})", "E0204",
                "/parts/accelerators/0/id", 2);
}

TEST_CASE("an own node names parts that there are", "[topology][node]") {
  check_refused(R"({"nodes": [{"id": "Box-1", "accelerator_id": "Chip-2", "accelerator_count": 8}]})",
                R"({"accelerator": "H100-SXM", "nics": 0})", "E0203", "/parts/nodes/0/accelerator_id", 2);
}

TEST_CASE("an own part without its peak is refused at its place", "[topology][node]") {
  std::string bare = chip;
  bare.erase(bare.find("\"peak_dense_tflops\""), std::string("\"peak_dense_tflops\": {\"bf16\": 500},").size());
  try {
    build("{\"accelerators\": [" + bare + "]}", R"({"accelerator": "Chip-1", "nics": 0})");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().at(0).code == "E0104");
    CHECK(error.diagnostics().at(0).places.at(0).pointer == "/parts/accelerators/0");
  }
}
