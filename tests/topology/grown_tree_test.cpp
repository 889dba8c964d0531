// SPDX-License-Identifier: Apache-2.0
// Fabrics that dimension themselves, against shipped ones that state their tiers after vendors' designs.
#include "topology/fabrics/grown_tree.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/switch_choice.hpp"

using namespace clusterwright;

namespace {

const Catalog& shipped_parts_of_fabrics() {
  static const Catalog loaded = load_catalog(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parts", FactCheck::none);
  return loaded;
}

Cluster built_of(const std::string& text) {
  const JsonValue json = read_json(std::make_shared<const SourceText>("c.json", text));
  return build_cluster(decode_record<ClusterSpec>(json), shipped_parts_of_fabrics(), json);
}

Cluster open_cluster_of(const std::string& node, int accelerators, const std::string& fabric = "{}") {
  return built_of(fmt::format(R"({{"name": "open", "accelerators": {}, "node": {{"part": "{}"}}, "fabric": {}}})",
                              accelerators, node, fabric));
}

Cluster shipped_cluster_of(const std::string& name) {
  const JsonValue json = read_json_file(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters" / (name + ".json"));
  return build_cluster(decode_record<ClusterSpec>(json), shipped_parts_of_fabrics(), json);
}

void check_same_tiers(const Cluster& grown, const Cluster& stated) {
  const auto &a = grown.fabric.tiers(), &b = stated.fabric.tiers();
  REQUIRE(a.size() == b.size());
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (t + 1 < a.size()) CHECK(a[t].accelerators == b[t].accelerators);
    CHECK(a[t].uplink_capacity.in(gigabyte_per_second) == Approx(b[t].uplink_capacity.in(gigabyte_per_second)));
    CHECK(a[t].turn_latency.in(nanosecond) == Approx(b[t].turn_latency.in(nanosecond)).epsilon(0.01));
  }
}

}  // namespace

TEST_CASE("a fabric without tiers has those of the vendor's design", "[topology][fabrics]") {
  check_same_tiers(open_cluster_of("DGX H100", 2048), shipped_cluster_of("h100-2tier"));
  // Groups of other sizes with equally many switches and the same bisection.
  const Cluster grown = open_cluster_of("DGX H100", 16384), stated = shipped_cluster_of("h100-3tier");
  REQUIRE(grown.fabric.tiers().size() == 3);
  CHECK(grown.fabric.tiers()[0].accelerators == 256);
  for (const int part : {512, 4096, 16384})
    CHECK(grown.fabric.bisection(part, grown.network_per_accelerator()).in(gigabyte_per_second) ==
          Approx(stated.fabric.bisection(part, stated.network_per_accelerator()).in(gigabyte_per_second)));
  // One rack of trays on each rail of a leaf.
  check_same_tiers(open_cluster_of("GB200 compute tray", 648), shipped_cluster_of("gb200-nvl72-9racks"));
}

TEST_CASE("an open fabric has the fewest tiers that join the nodes", "[topology][fabrics]") {
  CHECK(open_cluster_of("DGX H100", 64).fabric.tiers().size() == 1);  // 64 NICs on one switch of 64 ports
  CHECK(open_cluster_of("DGX H100", 72).fabric.tiers().size() == 2);
  CHECK(open_cluster_of("DGX H100", 2056).fabric.tiers().size() == 3);
  CHECK(open_cluster_of("DGX H100", 1 << 20).fabric.tiers().size() == 4);
  CHECK(open_cluster_of("GB200 compute tray", 72).fabric.tiers().empty());  // one scale-up domain
}

TEST_CASE("an open fabric tapers its leaves", "[topology][fabrics]") {
  const Cluster plain = open_cluster_of("DGX H100", 2048);
  const Cluster tapered = open_cluster_of("DGX H100", 2048, R"({"switch": "QM9700/QM9790", "taper": 3})");
  CHECK_FALSE(plain.fabric.tiers()[0].tapered);
  CHECK(tapered.fabric.tiers()[0].tapered);
  CHECK(tapered.fabric.tiers()[0].accelerators == 384);                                          // 48 of 64 ports down
  CHECK(tapered.fabric.tiers()[0].uplink_capacity.in(gigabyte_per_second) == Approx(128 * 50));  // 16 up on 8 rails
}

TEST_CASE("an open fabric grows and shrinks with the cluster", "[topology][fabrics]") {
  const Cluster small = open_cluster_of("DGX B200", 64);
  for (const int size : {8, 128, 1024, 16384, 131072}) {
    const Cluster other = resized(small, size);
    const Cluster fresh = open_cluster_of("DGX B200", size);
    CHECK(other.fabric.shape() == fresh.fabric.shape());
    CHECK(other.has_network() == fresh.has_network());
    CHECK(resized(other, 64).fabric.shape() == small.fabric.shape());
  }
}

TEST_CASE("an open fabric says what was chosen, and takes what is stated", "[topology][fabrics]") {
  const Cluster chosen = open_cluster_of("HGX B300 8-GPU (OEM 4-8U)", 1024);
  REQUIRE(chosen.stock);
  CHECK(chosen.stock->switch_part == "Q3400-RA");
  CHECK(chosen.remarks.front().find("2 tiers of Q3400-RA, the cheapest switch for these NICs") != std::string::npos);
  const Cluster ethernet = open_cluster_of("DGX H100", 1024, R"({"transport": "roce"})");
  CHECK(ethernet.spec.fabric.transport == Transport::roce);
  CHECK(shipped_parts_of_fabrics().find_switch(ethernet.stock->switch_part)->fabric.starts_with("Ethernet"));
  CHECK(open_cluster_of("Gaudi3 8-OAM server", 64).spec.fabric.transport == Transport::roce);
}

TEST_CASE("a taper beside stated tiers is named as of no effect", "[topology][fabrics]") {
  const Cluster stated = open_cluster_of(
      "DGX H100", 64,
      R"({"taper": 3, "tiers": [{"name": "leaf", "accelerators": 32}, {"name": "spine", "accelerators": 64}]})");
  CHECK(stated.remarks.front().find("fabric.taper") != std::string::npos);
}

TEST_CASE("every node of the catalog with NICs makes clusters of any size", "[topology][fabrics]") {
  for (const NodePart& node : shipped_parts_of_fabrics().nodes) {
    if (!node.accelerator_count || !node.nic_count || node.nic_count->value == 0 || node.scale_up_domain) continue;
    if (node.nic_id.ends_with("ICI")) continue;  // links of a torus
    if (node.id.find("rack") != std::string::npos || node.id.find("cabinet") != std::string::npos) continue;
    const int each = node.accelerator_count->value;
    for (const int nodes : {2, 100, 4000}) {
      INFO(node.id << ": " << nodes << " nodes");
      const Cluster cluster = open_cluster_of(node.id, nodes * each);
      CHECK((cluster.has_network() || cluster.domains() == 1));
    }
  }
}
