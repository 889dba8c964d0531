// SPDX-License-Identifier: Apache-2.0
// Published facts about reliability, loads and money, against sized clusters. Counts:
// tests/topology/site_oracles_test.cpp.
#include "models/site/audit/time_claims.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SizedCluster sized(const Cluster& cluster, const Facility& facility, const char* prices = "default") {
  return size_cluster({cluster, shipped_parts(), facility, shipped_prices(prices)});
}

/// `groups` of accelerators by tier on eight rails of 64-port switches, DGX H100.
Cluster h100(int nodes, const std::string& tiers, const char* rails = "joined") {
  return cluster_of(fmt::format(
      R"({{"name": "test", "accelerators": {}, "node": {{"part": "DGX H100"}},
           "fabric": {{"rails": "{}", "tiers": [{}], "hop_latency_us": 0.25}}}})",
      8 * nodes, rails, tiers));
}

std::string ndr(const char* tier, int accelerators = 0) {
  return fmt::format(R"({{"name": "{}", "switch": "QM9700/QM9790", "accelerators": {}}})", tier, accelerators);
}

/// Nodes and the fabric that trains, nothing beside them: what the cost sheet of 2024 counts.
double capex_per_accelerator(const Cluster& cluster) {
  const Facility facility = facility_of("air", R"({"services": {"networks": [], "spare_node_share": 0, "servers": 0,
      "servers_per_1000_nodes": 0, "fabric_managers": 0, "management_switch": "", "storage": null}})");
  const CostReport cost = sized(cluster, facility, "2024-h100").cost;
  CHECK(cost.unpriced.empty());
  return cost.capex_total.in(dollar) / cluster.spec.accelerators;
}

}  // namespace

// rsc-mttf (RSC, arXiv 2410.21680): 6.5 failures in 1,000 node-days, 2,048 nodes of eight: 1.8 h.
TEST_CASE("16,384 GPUs at RSC's rate are interrupted every 1.8 hours", "[models][facility][oracle]") {
  CHECK(mean_time_to_interrupt(6.5, 16384 / 8).in(hour) == Approx(1.8).epsilon(0.02));
}

// llama3-mtti: 419 unplanned interruptions in 54 days of 16,384 GPUs (arXiv 2407.21783): 3.09 h.
TEST_CASE("Llama 3's 419 interruptions in 54 days are one in 3.09 hours", "[models][facility][oracle]") {
  const int nodes = 16384 / 8;
  const double rate = 419.0 / (54.0 * nodes) * 1000;
  CHECK(rate == Approx(3.79).epsilon(0.003));
  CHECK(mean_time_to_interrupt(rate, nodes).in(hour) == Approx(3.09).epsilon(0.01));
}

// h100-node-typ (H100-NODE): 76 % of 10.2 kW, tolerance 5 %.
TEST_CASE("a DGX H100 under load draws 7.75 kW", "[models][facility][oracle]") {
  const SizedCluster cluster = sized(cluster_file("dgx-h100-127"), facility_of("air"));
  CHECK(cluster.plan.node.rated.in(kilowatt) == Approx(10.2));
  CHECK(cluster.plan.node.mean.in(kilowatt) == Approx(7.75).epsilon(0.05));
  CHECK(cluster.plan.node.accelerators_rated.in(kilowatt) == Approx(5.6));
}

// superpod-h100-racks (RA-H100-T7), with as many storage appliances as 40 GB/s for 32 nodes ask for.
TEST_CASE("a sized SuperPOD of 127 DGX H100 has 38 racks beside its storage", "[models][facility][oracle]") {
  const SizedCluster cluster = sized(cluster_file("dgx-h100-127"), facility_of("air"));
  INFO(failed_verdicts(cluster.plan));
  CHECK(cluster.plan.holds());
  REQUIRE(cluster.storage);
  CHECK(cluster.storage->appliances == 2);  // 127 x 1.25 GB/s over 90 GB/s
  CHECK(static_cast<int>(cluster.plan.floor.racks.size()) - racks_of(cluster.plan, RackRole::storage) == 38);
}

// BOM-SHEET: $310,000 a node, $50,000 of building, $36,000 a switch, $1,320 for the link of a GPU and $1,240 for each
// above: 46.9, 49.2 and 51.6 thousand for one, two and three tiers.
TEST_CASE("an H100 with its node, fabric and building costs $47k to $52k by the number of tiers",
          "[models][facility][oracle]") {
  CHECK(capex_per_accelerator(h100(64, ndr("leaf"), "planes")) == Approx(46'883).epsilon(0.003));
  CHECK(capex_per_accelerator(h100(128, ndr("leaf", 256) + ", " + ndr("spine"))) == Approx(49'248).epsilon(0.003));
  CHECK(capex_per_accelerator(cluster_file("h100-3tier")) == Approx(51'613).epsilon(0.003));
}

// GB200-XAT: about $3 million a rack, $42k an accelerator.
TEST_CASE("an accelerator of an NVL72 rack costs a 72nd of $3 million before its network", "[models][facility]") {
  const SizedCluster cluster = sized(cluster_file("gb200-nvl72-9racks"), facility_of("rack-scale"));
  for (const CostShare& share : cluster.cost.capex)
    if (share.name == "compute") CHECK(share.amount.in(dollar) / 648 == Approx(3e6 / 72).epsilon(0.01 + 2.0 / 162));
}
