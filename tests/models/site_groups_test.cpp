// SPDX-License-Identifier: Apache-2.0
/// Switches without nodes, and tiers that are larger than the machine.
#include <string>
#include <vector>

#include "models/site/plant/site_networks.hpp"
#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Cluster h100_cluster(int accelerators, const std::string& fabric) {
  return cluster_of(R"({"name": "test", "accelerators": )" + std::to_string(accelerators) +
                    R"(, "node": {"part": "DGX H100"}, "fabric": )" + fabric + "}");
}

}  // namespace

// 12 nodes fit; the last of 3 groups has nodes 8 and 9 on two of its four switches.
TEST_CASE("empty switches of a dragonfly stand with the nodes of their group", "[models][facility]") {
  const std::string fabric = R"({"kind": "dragonfly", "transport": "infiniband", "switch": "QM9700/QM9790",
      "hop_latency_us": 0.3, "dragonfly": {"endpoints_per_switch": 8, "switches_per_group": 4,
      "global_links_per_switch": 2, "groups": 3}})";
  std::vector<std::string> warnings;
  const std::vector<SiteNetwork> networks = training_network(h100_cluster(80, fabric), shipped_parts(), warnings);
  const std::vector<NodeSpan>& spans = networks.front().spans;
  REQUIRE(spans.size() == 12);
  for (const std::size_t empty : {10, 11}) {
    CHECK(spans[empty].first == 8);
    CHECK(spans[empty].last == 9);
  }
}

namespace {

/// Remarks on the top tier of 64 nodes on two tiers of 64 ports.
std::vector<std::string> top_tier_remarks(int spine) {
  const std::string fabric = R"({"transport": "infiniband", "hop_latency_us": 0.3, "tiers": [
      {"name": "leaf", "accelerators": 256, "switch": "QM9700/QM9790"},
      {"name": "spine", "switch": "QM9700/QM9790", "accelerators": )" +
                             std::to_string(spine) + "}]}";
  std::vector<std::string> warnings;
  training_network(h100_cluster(512, fabric), shipped_parts(), warnings);
  std::erase_if(warnings,
                [](const std::string& one) { return one.find("\"spine\" is built for") == std::string::npos; });
  return warnings;
}

}  // namespace

// Two groups of 8 leaves with 32 cables up each: 8 spines of 64 ports. For 2,048 accelerators there are 32.
TEST_CASE("a top tier for far more than the machine is remarked on", "[models][facility]") {
  const std::vector<std::string> remarks = top_tier_remarks(2048);
  REQUIRE(remarks.size() == 1);
  CHECK(remarks.front().starts_with(
      "tier \"spine\" is built for 2048 accelerators, 4.0 times the 512 of the machine: built for 512 it takes 24 "
      "switches less of 48 ($"));
  CHECK(top_tier_remarks(1024).empty());  // twice the machine is room to grow
  CHECK(top_tier_remarks(512).empty());
}

TEST_CASE("the spines of the shipped clusters of 512 are those of 512", "[models][facility]") {
  for (const char* name : {"gaudi3-512", "mi300x-512"}) {
    INFO(name);
    const Cluster cluster = cluster_file(name);
    CHECK(cluster.spec.fabric.tiers.back().accelerators == cluster.spec.accelerators);
    std::vector<std::string> warnings;
    training_network(cluster, shipped_parts(), warnings);
    for (const std::string& warning : warnings) CHECK(warning.find("is built for") == std::string::npos);
  }
}
