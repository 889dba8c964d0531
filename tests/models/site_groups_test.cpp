// SPDX-License-Identifier: Apache-2.0
/// Switches without nodes.
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
