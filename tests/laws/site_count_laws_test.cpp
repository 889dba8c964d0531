// SPDX-License-Identifier: Apache-2.0
// Switches and cables of plans against the rules that reproduce published tables, written down once more by themselves.
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Nodes with one NIC on each of `rails`, switches with `ports`, half of them up.
struct Site {
  int ports = 0, rails = 0, nodes = 0;
  int pod_units = 0, pods = 0;  ///< of three tiers
  int half() const { return ports / 2; }
  int units() const { return (nodes + half() - 1) / half(); }  ///< of half() nodes, the last one partly filled
};

struct Counts {
  long long leaf = 0, spine = 0, core = 0;
  long long node_leaf = 0, leaf_spine = 0, spine_core = 0, managers = 0;
};

long long up_to_divisor(long long least, long long of) {
  while (of % least != 0) ++least;
  return least;
}

long long ceil_div(long long a, long long b) {
  return (a + b - 1) / b;
}

/// Rule 5: fabric managers take up to four of the leaf ports that missing nodes of the last unit leave.
void add_managers(const Site& site, Counts& counts) {
  counts.managers = std::min<long long>(4, counts.leaf * site.half() - counts.node_leaf);
}

/// Rules 1 and 2: a leaf for each rail of a unit, all its uplinks cabled; the fewest spines that divide them evenly.
Counts two_tiers(const Site& site) {
  Counts out;
  out.leaf = static_cast<long long>(site.rails) * site.units();
  out.node_leaf = static_cast<long long>(site.rails) * site.nodes;
  out.leaf_spine = out.leaf * site.half();
  out.spine = up_to_divisor(ceil_div(out.leaf_spine, site.ports), site.half());
  add_managers(site, out);
  return out;
}

/// Rule 4: a fabric of rules 1 and 2 for each rail.
Counts planes(const Site& site) {
  Site one = site;
  one.rails = 1;
  const Counts plane = two_tiers(one);
  Counts out{site.rails * plane.leaf,
             site.rails * plane.spine,
             0,
             site.rails * plane.node_leaf,
             site.rails * plane.leaf_spine,
             0,
             0};
  add_managers(site, out);
  return out;
}

/// Rule 3: as many spines as leaves in every pod, half as many cores as all of them together.
Counts three_tiers(const Site& site) {
  Counts out;
  out.leaf = static_cast<long long>(site.rails) * site.units();
  out.node_leaf = static_cast<long long>(site.rails) * site.nodes;
  out.leaf_spine = out.leaf * site.half();
  const long long pods = ceil_div(site.units(), site.pod_units);
  out.spine = pods * site.rails * site.pod_units;
  out.spine_core = out.spine * site.half();
  out.core = static_cast<long long>(site.pods) * site.rails * site.pod_units / 2;
  add_managers(site, out);
  return out;
}

Cluster cluster_of_site(const Site& site, const char* rails, const std::vector<int>& groups) {
  static constexpr const char* names[] = {"leaf", "spine", "core"};
  std::string tiers;
  for (std::size_t t = 0; t < groups.size(); ++t)
    tiers +=
        fmt::format(R"({}{{"name": "{}", "switch": "S", "accelerators": {}}})", t ? ", " : "", names[t], groups[t]);
  return cluster_of(fmt::format(
      R"({{"name": "test", "accelerators": {}, "node": {{"part": "Box"}},
           "parts": {{"switches": [{{"id": "S", "ports": {}, "port_rate_gbit_per_s": 400, "height_u": 1, "max_power_w": 999}}],
                      "nodes": [{{"id": "Box", "accelerator_id": "H100-SXM", "accelerator_count": 1, "height_u": 2,
                                  "nic_id": "ConnectX-7 NDR", "nic_count": {}, "max_power_kw": 3, "mass_kg": 30}}]}},
           "fabric": {{"rails": "{}", "tiers": [{}], "hop_latency_us": 0.25}}}})",
      site.nodes, site.ports, site.rails, rails, tiers));
}

void check_plan(const Cluster& cluster, const Counts& expected) {
  const SitePlan plan = planned(cluster, facility_of("air", "{" + only_training + "}"));
  RC_ASSERT(switches_in(plan, "training", "leaf") == expected.leaf);
  RC_ASSERT(switches_in(plan, "training", "spine") == expected.spine);
  RC_ASSERT(switches_in(plan, "training", "core") == expected.core);
  RC_ASSERT(links_in(plan, "training", "node-leaf") == expected.node_leaf);
  RC_ASSERT(links_in(plan, "training", "leaf-spine") == expected.leaf_spine);
  RC_ASSERT(links_in(plan, "training", "spine-core") == expected.spine_core);
  RC_ASSERT(links_in(plan, "training", "manager-leaf") == expected.managers);
  RC_ASSERT(billed(plan, BillChapter::network, "S") == expected.leaf + expected.spine + expected.core);
}

/// So many units of half() nodes, of which the last may lack some.
Site with_nodes(Site site, int units) {
  site.nodes = units * site.half() - *rc::gen::inRange(0, site.half());
  return site;
}

Site random_switches_and_rails() {
  Site site;
  site.ports = 2 * *rc::gen::inRange(2, 73);
  site.rails = *rc::gen::inRange(1, 9);
  return site;
}

}  // namespace

TEST_CASE("two joined tiers have the switches and cables of the published rules", "[laws][facility]") {
  CHECK(rc::check("up to ports^2 / 2 endpoints", [] {
    const Site site = random_switches_and_rails();
    RC_PRE(site.rails <= site.ports);
    const int units = *rc::gen::inRange(1, std::min(12, site.ports / site.rails) + 1);
    const Site filled = with_nodes(site, units);
    RC_PRE(filled.nodes > 1);
    check_plan(cluster_of_site(filled, "joined", {0, 0}), two_tiers(filled));
  }));
}

TEST_CASE("planes have the switches and cables of the published rules", "[laws][facility]") {
  CHECK(rc::check("a plane of up to ports^2 / 2 endpoints for each rail", [] {
    const Site site = random_switches_and_rails();
    RC_PRE(site.rails > 1);
    const Site filled = with_nodes(site, *rc::gen::inRange(1, std::min(12, site.ports) + 1));
    RC_PRE(filled.nodes > 1);
    check_plan(cluster_of_site(filled, "planes", {0, 0}), planes(filled));
  }));
}

TEST_CASE("three joined tiers have the switches and cables of the published rules", "[laws][facility]") {
  CHECK(rc::check("pods and rails that divide the ports of a core", [] {
    Site site;
    site.ports = *rc::gen::element(4, 8, 16, 24, 32, 36, 40, 64);
    site.rails = *rc::gen::element(1, 2, 4, 8);
    site.pod_units = *rc::gen::element(1, 2, 4);
    site.pods = *rc::gen::element(2, 4, 8);
    // A spine has cables to all leaves of its rail and pod, a core to one spine of each rail and pod: equally many.
    RC_PRE(site.half() % site.pod_units == 0);
    RC_PRE(site.pods * site.rails % 2 == 0 && site.half() % (site.pods * site.rails / 2) == 0);
    const Site filled = with_nodes(site, *rc::gen::inRange(1, site.pods * site.pod_units + 1));
    RC_PRE(filled.nodes > 1);
    const int pod = site.pod_units * site.half();
    check_plan(cluster_of_site(filled, "joined", {site.half(), pod, site.pods * pod}), three_tiers(filled));
  }));
}
