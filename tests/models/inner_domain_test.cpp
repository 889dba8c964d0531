// SPDX-License-Identifier: Apache-2.0
// What joins the accelerators of a tensor group decides its price: one server, a rack that acts as one, PCI Express.
#include "models/settling/step_simulation.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using clusterwright::testing::parts;
using clusterwright::testing::plan_of;
using clusterwright::testing::small_scenario;
using clusterwright::testing::SmallCase;

namespace {

/// Two tensor groups of 16.
SmallCase sixteen_wide() {
  SmallCase c;
  c.tensor = 16;
  c.data = 2;
  return c;
}

Picoseconds step(const Scenario& s) {
  return simulate_step(s, plan_of(s)).result.end;
}

/// A scenario whose nodes are described in `change`.
template <class Change>
Scenario with_node(Scenario s, const Change& change) {
  change(s.cluster.spec.node);
  s.cluster = build_cluster(s.cluster.spec, parts(), s.source);
  return s;
}

}  // namespace

TEST_CASE("two nodes that act as one are priced as one node of their size", "[models]") {
  SmallCase rack = sixteen_wide(), node = sixteen_wide();
  rack.scale_up_domain = 16;
  node.per_node = 16;
  node.scale_up_domain = 16;
  CHECK(step(small_scenario(rack)) == step(small_scenario(node)));
}

TEST_CASE("a tensor group that leaves its scale-up domain pays the network", "[models]") {
  SmallCase rack = sixteen_wide();
  rack.scale_up_domain = 16;
  CHECK(step(small_scenario(sixteen_wide())) > step(small_scenario(rack)));
}

TEST_CASE("a tensor group that does not fill a rack evenly leaves the rest of it idle", "[models]") {
  SmallCase c = sixteen_wide();
  c.data = 3;  // 48 accelerators: 16 of 24 in three domains
  c.scale_up_domain = 24;
  const Scenario s = small_scenario(c);
  CHECK(s.cluster.blocks.used == 16);
  CHECK(s.cluster.blocks.idle() == 3 * 8);
  c.scale_up_domain = 16;
  CHECK(step(s) == step(small_scenario(c)));
}

TEST_CASE("a tensor group that does not fill the stated part of a rack is told which part would do", "[models]") {
  SmallCase c = sixteen_wide();
  c.data = 3;
  c.scale_up_domain = 24;
  Scenario s = small_scenario(c);
  s.job.accelerators_per_domain = 24;
  s.cluster = cluster_of_size(s, 48);
  try {
    plan_of(s);
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].code == "E0310");
    CHECK(error.diagnostics()[0].message.find("(got 16, it uses 24)") != std::string::npos);
    CHECK(error.diagnostics()[0].help.find("\"accelerators_per_domain\": 16") != std::string::npos);
  }
}

TEST_CASE("without scale-up links a tensor group is as slow as PCI Express", "[models]") {
  SmallCase c;
  c.tensor = 8;
  c.data = 2;
  const Scenario nvlink = small_scenario(c);
  const auto over_pcie = [&](double between_sockets) {
    return step(with_node(nvlink, [&](NodeSpec& node) {
      node.scale_up = ScaleUpWiring::none;
      node.pcie.between_sockets = {between_sockets * gigabyte_per_second, "test", true};
    }));
  };
  CHECK(over_pcie(22) > step(nvlink));
  CHECK(over_pcie(11) > over_pcie(22));
  CHECK(over_pcie(100) == over_pcie(200));  // then slots limit
}
