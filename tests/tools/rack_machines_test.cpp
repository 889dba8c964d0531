// SPDX-License-Identifier: Apache-2.0
// Machines that fill a rack: their trays are the nodes.
#include <fmt/format.h>

#include <string>

#include "support/catch.hpp"
#include "support/sized_files.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string cluster_of(const std::string& node, const std::string& more = {}) {
  return R"({"name": "racks", "accelerators": 1152, "node": {"part": ")" + node + R"("}, "fabric": {"tiers": [
    {"name": "leaf", "switch": "Q3400-RA"}, {"name": "spine", "switch": "Q3400-RA"}]})" +
         more + "}";
}

Outcome size_of(const std::string& cluster) {
  const ProgramRoom room;
  room.write("cluster.json", cluster);
  return room.run("size cluster.json --format json");
}

}  // namespace

// 16 racks of 18 trays with 4 NICs: 1,152 ends on leaves of 72 down are 16, under 8 spines of 144 ports.
TEST_CASE("1152 GB300 take 16 racks of trays, 16 leaves and 8 spines, in the shipped hall", "[cli][size]") {
  const Outcome outcome = size_of(cluster_of("GB300 compute tray"));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);  // eight circuits carry 140 kW of a rack
  const JsonValue result = outcome.json();
  CHECK(number(result, "/nodes") == 288);
  CHECK(number(result, "/switches/training/leaf") == 16);
  CHECK(number(result, "/switches/training/spine") == 8);
  CHECK(number(result, "/racks/compute") == 16);
  CHECK(number(result, "/floor/nodes_per_rack") == 18);
}

TEST_CASE("a rack is not taken for a server with 72 rails", "[cli][size]") {
  for (const char* rack : {"GB200", "GB300"}) {
    const Outcome outcome = size_of(cluster_of(std::string(rack) + " NVL72 rack"));
    CHECK(outcome.code == 2);
    CHECK(has(outcome.err, "E0358"));
    CHECK(has(outcome.err, fmt::format("name its tray, \"{} compute tray\"", rack)));
  }
}

TEST_CASE("a tray needs its rack, and divides it", "[cli][size]") {
  const auto parts = [](const char* machine, int accelerators) {
    return fmt::format(R"(, "parts": {{"nodes": [{{"id": "Tray", "accelerator_id": "GB300-GPU", "accelerator_count": {},
      "nic_id": "ConnectX-8 XDR", "nic_count": {}, "max_power_kw": 8, "host_power_w": 1000, "machine": "{}"}}]}})",
                       accelerators, accelerators, machine);
  };
  const Outcome orphan = size_of(cluster_of("Tray", parts("No rack", 4)));
  CHECK(orphan.code == 2);
  CHECK(has(orphan.err, "E0358"));
  CHECK(has(orphan.err, "a tray of \"No rack\", which the catalog lacks"));
  const Outcome odd = size_of(cluster_of("Tray", parts("GB300 NVL72 rack", 5)));
  CHECK(odd.code == 2);
  CHECK(has(odd.err, "trays of 5 accelerators do not divide the 72"));
}
