// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/cable_plan.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Nodes with one NIC on leaves of eight ports: four nodes on each.
Cluster nodes_on_small_leaves(int nodes) {
  return cluster_of(fmt::format(R"({{"name": "test", "accelerators": {},
      "parts": {{"switches": [{{"id": "S", "ports": 8, "port_rate_gbit_per_s": 400, "height_u": 1, "max_power_w": 99}}],
                 "nodes": [{{"id": "Box", "accelerator_id": "H100-SXM", "accelerator_count": 1, "height_u": 2,
                             "nic_id": "ConnectX-7 NDR", "nic_count": 1, "max_power_kw": 3, "mass_kg": 30}}]}},
      "node": {{"part": "Box"}},
      "fabric": {{"tiers": [{{"name": "leaf", "switch": "S"}}, {{"name": "spine", "switch": "S"}}],
                  "hop_latency_us": 0.25}}}})",
                                nodes));
}

long long manager_cables(int nodes) {
  return links_in(planned(nodes_on_small_leaves(nodes), facility_of("air", "{" + only_training + "}")), "training",
                  "manager-leaf");
}

}  // namespace

TEST_CASE("fabric managers take every free leaf port, up to four", "[models][facility]") {
  CHECK(manager_cables(8) == 0);
  CHECK(manager_cables(7) == 1);
  CHECK(manager_cables(5) == 3);  // all on the second leaf
  CHECK(manager_cables(2) == 2);
}

TEST_CASE("switches for consoles hang on the provisioning network, with storage or without", "[models][facility]") {
  for (const int appliances : {0, 6}) {
    INFO(appliances);
    const SitePlan plan = planned(cluster_file("dgx-h100-127"), facility_of("air"), {{}, appliances, false});
    CHECK(links_in(plan, "management", "management-uplink") == switches_in(plan, "management"));
    for (const CableTotal& total : plan.cables)
      if (total.link == "management-uplink") CHECK(total.rate.in(gigabit_per_second) == Approx(100));
  }
}
