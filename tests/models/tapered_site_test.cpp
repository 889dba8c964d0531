// SPDX-License-Identifier: Apache-2.0
// Sites whose training network grows with a taper.
#include <string>

#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SitePlan plan_with_taper(int taper) {
  const Cluster cluster = cluster_of(fmt::format(
      R"({{"name": "tapered", "accelerators": 1024, "node": {{"part": "DGX H100"}}, "fabric": {{"taper": {}}}}})",
      taper));
  return planned(cluster, facility_of("air"), {{}, 1, false});
}

}  // namespace

// Two ports of each of 128 nodes, one of each of 8 servers and 8 of an appliance: 280 or fewer, on leaves of 32 nodes
// with 64 ports down and 64 up: 5 leaves, 320 cables up, 2.5 spines of 128 ports, and 4 divides 64.
TEST_CASE("the storage network does not follow the taper of the training network", "[models][facility]") {
  for (const int taper : {1, 2, 3, 4}) {
    INFO("taper " << taper);
    const SitePlan plan = plan_with_taper(taper);
    CHECK(switches_in(plan, "storage", "leaf") == 5);
    CHECK(switches_in(plan, "storage", "spine") == 4);
    CHECK(links_in(plan, "storage", "leaf-spine") == 320);
    CHECK(switches_in(plan, "in-band") == switches_in(plan_with_taper(1), "in-band"));
  }
}

// 48, 40, 32 and 30 switches: tests/topology/grown_tree_test.cpp.
TEST_CASE("a site draws less with more taper", "[models][facility]") {
  Watts before = plan_with_taper(1).rated.facility;
  for (const int taper : {2, 3, 4}) {
    const Watts now = plan_with_taper(taper).rated.facility;
    CHECK(now < before);
    before = now;
  }
}
