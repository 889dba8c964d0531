// SPDX-License-Identifier: Apache-2.0
// Fabrics that dimension themselves, against shipped ones that state their tiers after vendors' designs.
#include "topology/fabrics/grown_tree.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/switch_choice.hpp"
#include "topology/fabrics/fat_tree.hpp"

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

// 256 nodes at taper 3: leaves of 45 nodes with 15 cables up are 6 groups, 48 leaves and 720 cables, for which 12
// spines have the ports; 15 divides 15. 63 switches; full leaves of 48 and 16 would take 48 + 16.
TEST_CASE("an open fabric tapers its leaves", "[topology][fabrics]") {
  const Cluster plain = open_cluster_of("DGX H100", 2048);
  const Cluster tapered = open_cluster_of("DGX H100", 2048, R"({"switch": "QM9700/QM9790", "taper": 3})");
  CHECK_FALSE(plain.fabric.tiers()[0].tapered);
  CHECK(tapered.fabric.tiers()[0].tapered);
  CHECK(tapered.fabric.tiers()[0].accelerators == 360);
  CHECK(tapered.fabric.tiers()[0].uplink_capacity.in(gigabyte_per_second) == Approx(120 * 50));  // 15 up on 8 rails
}

namespace {

const TreeStock quantum_2{"QM9700/QM9790", 64, 50 * gigabyte_per_second, 1};

/// Tree of nodes with 8 NICs of 400 Gbit/s.
std::vector<FatTreeTier> tapered_tree(double taper, int nodes, int domain_nodes = 1) {
  TreeStock stock = quantum_2;
  stock.taper = taper;
  const NetworkSize size{nodes, 8, 8, 50 * gigabyte_per_second};
  const FabricSpec tree = grown_tree({}, stock, size, domain_nodes);
  return fat_tree_shape(tree, size, grown_ports(tree, stock));
}

/// Switches of each tier.
std::vector<long long> switches_of(const std::vector<FatTreeTier>& tree, int nodes) {
  std::vector<long long> out;
  for (const FatTreeTier& tier : tree) out.push_back(fat_tree_switches({tier}, nodes));
  return out;
}

}  // namespace

// 128 nodes. Taper 1: 32 down and 32 up, 4 groups: 32 leaves, 1,024 / 64 = 16 spines. Taper 2: 32 down and 16 up, 32
// leaves, 512 / 64 = 8; a full leaf, 42 and 21, would take 21 spines, which divide 21. Taper 3: 48 down and 16 up, 3
// groups: 24 leaves, 384 / 64 = 6, and 8 divides 16. Taper 4: 48 down and 12 up, 288 / 64 = 4.5, and 6 divides 12; a
// full leaf, 51 and 13, would take 13.
TEST_CASE("tapered leaves have the cables that spread over few spines", "[topology][fabrics]") {
  using Counts = std::vector<long long>;
  CHECK(switches_of(tapered_tree(1, 128), 128) == Counts{32, 16});
  CHECK(switches_of(tapered_tree(2, 128), 128) == Counts{32, 8});
  CHECK(switches_of(tapered_tree(3, 128), 128) == Counts{24, 8});
  CHECK(switches_of(tapered_tree(4, 128), 128) == Counts{24, 6});
  CHECK(tapered_tree(2, 128).front().nodes == 32);
  CHECK(tapered_tree(2, 128, 18).front().nodes == 36);  // two domains of 18 nodes, with 18 cables up
}

TEST_CASE("more taper never takes more switches, nor more effort", "[topology][fabrics]") {
  for (int nodes = 9; nodes <= 256; nodes += nodes < 64 ? 1 : 7) {
    INFO(nodes << " nodes");
    std::vector<FatTreeTier> before = tapered_tree(1, nodes);
    for (const double taper : {2.0, 3.0, 4.0}) {
      INFO("taper " << taper);
      const std::vector<FatTreeTier> tree = tapered_tree(taper, nodes);
      CHECK(fat_tree_switches(tree, nodes) <= fat_tree_switches(before, nodes));
      CHECK(fat_tree_effort(tree, nodes) <= fat_tree_effort(before, nodes));
      const FatTreeTier& leaf = tree.front();
      CHECK(leaf.down_ports <= taper * leaf.uplinks);
      CHECK(leaf.down_ports + leaf.uplinks <= 64);
      before = tree;
    }
  }
}

// NVIDIA DGX SuperPOD reference architectures to 16,384 GPUs: full leaves without taper.
TEST_CASE("trees without taper keep full leaves", "[topology][fabrics]") {
  using Counts = std::vector<long long>;
  CHECK(switches_of(tapered_tree(1, 64), 64) == Counts{16, 8});
  CHECK(switches_of(tapered_tree(1, 96), 96) == Counts{24, 16});  // 12 does not divide 32
  CHECK(switches_of(tapered_tree(1, 256), 256) == Counts{64, 32});
  CHECK(switches_of(tapered_tree(1, 512), 512) == Counts{128, 128, 64});
  CHECK(switches_of(tapered_tree(1, 2048), 2048) == Counts{512, 512, 256});
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
