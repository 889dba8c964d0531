// SPDX-License-Identifier: Apache-2.0
/// Clusters and facilities at random, for laws about plans of sites.
#pragma once

#include <rapidcheck.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/site_plans.hpp"

namespace clusterwright::testing {

/// Words of a site; `cluster(nodes)` and `facility()` read them.
struct RandomSite {
  std::string parts, node, fabric;
  int node_accelerators = 1;
  int most_nodes = 1;  ///< that the fabric joins
  int nodes = 1;
  std::string like = "air";
  std::string rack, power, cooling, services;  ///< members of these blocks
  int appliances = 0;

  Cluster cluster(int of_nodes) const {
    return cluster_of(fmt::format(R"({{"name": "random", "accelerators": {}, "parts": {{{}}}, "node": {{"part": "{}"}},
                                       "fabric": {}}})",
                                  of_nodes * node_accelerators, parts, node, fabric));
  }
  Facility facility() const {
    return facility_of(
        like, fmt::format(R"({{"rack": {{{}}}, "power": {{{}}}, "cooling": {{{}}}, "services": {{{}}}}})", rack, power,
                          cooling, services));
  }
  /// At 76 % of the nodes' rating, with every cable.
  SitePlan plan(int of_nodes) const {
    return planned_at_load(cluster(of_nodes), facility(), 0.76, {{}, appliances, true});
  }
  SitePlan plan() const { return plan(nodes); }
};

/// RapidCheck prints it with a counterexample.
inline void showValue(const RandomSite& site, std::ostream& out) {
  out << site.nodes << " nodes\n{" << site.parts << "}\n"
      << site.node << "\n"
      << site.fabric << "\n"
      << site.like << " rack {" << site.rack << "} power {" << site.power << "} cooling {" << site.cooling
      << "} services {" << site.services << "} appliances " << site.appliances << "\n";
}

namespace random_sites {

inline int between(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}

/// A switch of 4 to 64 ports of 400 Gbit/s, with cages of two ports.
inline std::string random_switch(int ports) {
  return fmt::format(R"("switches": [{{"id": "S", "ports": {}, "cages": {}, "port_rate_gbit_per_s": 400,
                         "height_u": {}, "max_power_w": {}, "passive_power_w": {}, "mass_kg": {}}}])",
                     ports, ports / 2, between(1, 4), between(400, 2000), between(50, 400), between(5, 40));
}

inline void random_box(RandomSite& site, int ports, int nics) {
  site.node_accelerators = nics * between(1, 2);
  site.node = "Box";
  site.parts = random_switch(ports) +
               fmt::format(R"(, "nodes": [{{"id": "Box", "accelerator_id": "H100-SXM", "accelerator_count": {},
                   "nic_id": "ConnectX-7 NDR", "nic_count": {}, "height_u": {}, "mass_kg": {}, "max_power_kw": {}}}])",
                           site.node_accelerators, nics, between(1, 12), between(10, 200),
                           0.8 * site.node_accelerators + between(0, 8));
}

inline void random_fat_tree(RandomSite& site) {
  const int ports = 2 * between(2, 32);
  const int nics = *rc::gen::element(1, 2, 4, 8);
  random_box(site, ports, nics);
  const std::string rails = *rc::gen::element<std::string>("joined", "planes", "shared");
  RC_PRE(rails == "joined" || nics > 1);
  const int tiers = between(1, 3);
  static constexpr const char* names[] = {"leaf", "spine", "core"};
  std::string list;
  for (int t = 0; t < tiers; ++t)
    list += fmt::format(R"({}{{"name": "{}", "switch": "S", "taper": {}}})", t ? ", " : "", names[t],
                        t + 1 == tiers ? 1 : *rc::gen::element(1, 1, 2, 3));
  site.fabric = fmt::format(R"({{"rails": "{}", "tiers": [{}], "hop_latency_us": 0.3}})", rails, list);
  site.most_nodes = 150;
}

inline void random_dragonfly(RandomSite& site) {
  const int p = between(1, 4), a = between(1, 4), h = between(1, 3);
  random_box(site, 2 * (p + a + h), *rc::gen::element(1, 2, 4));
  const int groups = between(1, a * h + 1);
  site.fabric = fmt::format(R"({{"kind": "dragonfly", "switch": "S", "hop_latency_us": 0.3, "dragonfly":
      {{"endpoints_per_switch": {}, "switches_per_group": {}, "global_links_per_switch": {}, "groups": {}}}}})",
                            p, a, h, groups);
  site.most_nodes = p * a * groups;
}

inline void random_dragonfly_plus(RandomSite& site) {
  const int down = between(1, 4), leaves = between(1, 4), spines = between(1, 4), h = between(1, 3);
  random_box(site, 2 * (down + leaves + spines + h), *rc::gen::element(1, 2, 4));
  const int groups = between(1, spines * h + 1);
  site.fabric = fmt::format(R"({{"kind": "dragonfly_plus", "switch": "S", "hop_latency_us": 0.3, "dragonfly_plus":
      {{"endpoints_per_leaf": {}, "leaves_per_group": {}, "spines_per_group": {}, "global_links_per_spine": {},
        "groups": {}}}}})",
                            down, leaves, spines, h, groups);
  site.most_nodes = down * leaves * groups;
}

inline void random_torus(RandomSite& site) {
  random_box(site, 4, 1);
  const int x = between(1, 5), y = between(1, 5), z = between(1, 4);
  site.fabric =
      fmt::format(R"({{"kind": "torus", "torus": {{"sides": [{}, {}, {}]}}, "hop_latency_us": 0.3}})", x, y, z);
  site.nodes = site.most_nodes = x * y * z;
}

/// Trays of a machine that fills a rack.
inline void random_rack_scale(RandomSite& site) {
  site.parts = random_switch(64);
  site.node = "GB200 compute tray";
  site.node_accelerators = 4;
  site.fabric = R"({"tiers": [{"name": "leaf", "switch": "S"}, {"name": "spine", "switch": "S"}],
                    "hop_latency_us": 0.3})";
  site.most_nodes = 8 * 18;
  site.like = "rack-scale";
}

inline void random_cluster(RandomSite& site) {
  switch (between(0, 5)) {
    case 0:
    case 1:
      random_fat_tree(site);
      break;
    case 2:
      random_dragonfly(site);
      break;
    case 3:
      random_dragonfly_plus(site);
      break;
    case 4:
      random_torus(site);
      break;
    default:
      random_rack_scale(site);
  }
}

inline void random_facility(RandomSite& site) {
  if (site.like == "air") site.like = *rc::gen::element<std::string>("air", "direct-to-chip", "immersion");
  if (between(0, 2) == 0) site.rack = fmt::format(R"("power_limit_kw": {})", between(5, 160));
  if (between(0, 3) == 0) site.rack += fmt::format(R"({}"nodes": {})", site.rack.empty() ? "" : ", ", between(1, 30));
  if (between(0, 1) == 0)
    site.rack += fmt::format(R"({}"unit_racks": {})", site.rack.empty() ? "" : ", ", between(1, 8));
  site.power = fmt::format(R"("feeds": "{}", "most_feeds": {})", *rc::gen::element<std::string>("n", "n+1", "2n"),
                           between(2, 8));
  site.cooling =
      fmt::format(R"("climate": "{}")", *rc::gen::element<std::string>("cold", "temperate", "hot dry", "hot humid"));
  if (between(0, 2) == 0) site.services = R"("networks": [])";
  site.appliances = between(0, 5);
}

}  // namespace random_sites

/// Any cluster in any facility; not every one satisfies its verdicts.
inline RandomSite random_site() {
  RandomSite site;
  random_sites::random_cluster(site);
  random_sites::random_facility(site);
  if (site.fabric.find("torus") == std::string::npos) site.nodes = random_sites::between(1, site.most_nodes);
  try {
    site.cluster(site.nodes);
  } catch (const ConfigError&) {
    RC_DISCARD("a fabric that does not join so many nodes");
  }
  return site;
}

/// Checks a law over random sites; RapidCheck shows the site of a counterexample.
inline void site_law(const char* name, const std::function<void(const RandomSite&)>& body) {
  CHECK(rc::check(name, [&] {
    const RandomSite site = random_site();
    std::ostringstream words;
    showValue(site, words);
    RC_LOG(words.str());
    body(site);
  }));
}

}  // namespace clusterwright::testing
