// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/faults.hpp"
#include "support/ids.hpp"

#include <string>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "topology/routing/link_loads.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Leaves 0 and 1 with two nodes each, spines 0 and 1, two cables between a leaf and a spine.
NetworkGraph two_by_two() {
  return small_rails({.blocks = 2, .nodes_per_block = 2, .rails = 2, .spines = 2, .parallel = 2, .planes = false});
}

NetworkGraph with(const std::string& fault) {
  NetworkGraph graph = two_by_two();
  apply_fault(graph, parse_fault(fault));
  return graph;
}

std::size_t failed_cables(const NetworkGraph& graph) {
  std::size_t failed = 0;
  for (const LinkId link : graph.cable_ids()) failed += graph.works(link) ? 0 : 1;
  return failed;
}

Diagnostic refusal(const std::string& fault) {
  try {
    with(fault);
  } catch (const ConfigError& error) {
    return error.diagnostics().front();
  }
  return {};
}

}  // namespace

TEST_CASE("a failed switch fails with all its links", "[topology][faults]") {
  const NetworkGraph graph = with("spine:1");
  CHECK(failed_cables(graph) == 8);  // 4 leaves, 2 cables each
  for (const LinkId link : graph.leaving(graph.tiers()[1].first + 1)) CHECK_FALSE(graph.works(link));
}

TEST_CASE("all parallel cables fail, or the one that is named", "[topology][faults]") {
  const NetworkGraph graph = two_by_two();
  const VertexId leaf = graph.tiers()[0].first;
  const VertexId spine = graph.tiers()[1].first;
  CHECK(failed_cables(with("leaf:0-spine:1")) == 2);
  CHECK(failed_cables(with("spine:1-leaf:0")) == 2);
  CHECK(failed_cables(with("leaf:0-spine:1#1")) == 1);
  const NetworkGraph one = with("leaf:0-spine:1#0");
  CHECK_FALSE(one.works(link_between(graph, leaf, spine + 1)));
  CHECK(one.works(link_between(graph, leaf, spine)));
}

TEST_CASE("a failed NIC loses its cable", "[topology][faults]") {
  const NetworkGraph graph = with("node:3.1");
  CHECK(failed_cables(graph) == 1);
  CHECK_FALSE(graph.works(graph.leaving(graph.endpoint(3_node, 1)).front()));
}

TEST_CASE("what is left of a rate makes links slow in both directions", "[topology][faults]") {
  const NetworkGraph graph = with("leaf:0-spine:1#1=0.25");
  CHECK(failed_cables(graph) == 0);
  std::size_t slow = 0;
  for (const LinkId link : graph.link_ids())
    if (graph.capacity(link) < small_rate) {
      ++slow;
      CHECK(graph.capacity(link).in(gigabyte_per_second) == Approx(12.5));
    }
  CHECK(slow == 2);
  CHECK(failed_cables(with("spine:0=0")) == 8);
  CHECK(with("spine:0=1").capacity(graph.leaving(graph.tiers()[1].first).front()) == small_rate);
}

TEST_CASE("faults on one link multiply", "[topology][faults]") {
  NetworkGraph graph = with("spine:0=0.5");
  apply_fault(graph, parse_fault("leaf:0-spine:0=0.5"));
  const VertexId leaf = graph.tiers()[0].first;
  const VertexId spine = graph.tiers()[1].first;
  CHECK(graph.capacity(link_between(graph, leaf, spine)).in(gigabyte_per_second) == Approx(12.5));
  CHECK(graph.capacity(link_between(graph, leaf + 1, spine)).in(gigabyte_per_second) == Approx(25));
}

TEST_CASE("tier names may hold dashes", "[topology][faults]") {
  const Fault fault = parse_fault("top-leaf:10-mid-spine:2#3=0.5");
  CHECK(fault.part.tier == "top-leaf");
  CHECK(fault.part.number == 10);
  REQUIRE(fault.other);
  CHECK(fault.other->tier == "mid-spine");
  CHECK(fault.other->number == 2);
  CHECK(fault.cable == 3);
  CHECK(fault.left == 0.5);
}

TEST_CASE("a fault that cannot be read says how one is written", "[topology][faults]") {
  for (const std::string text : {"", "spine", "spine:", ":2", "spine:-1", "spine:two", "spine:2#0", "spine:2=",
                                 "spine:2=1.5", "spine:2=-0.5", "spine:2=nan", "spine:2=inf", "spine:2 ", "node:5",
                                 "node:5.", "leaf:0-", "leaf:0-spine:1#", "spine:99999999999", "leaf:0-spine:1=0.5x"}) {
    CAPTURE(text);
    try {
      parse_fault(text);
      FAIL("was read");
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().front().code == "E0321");
      CHECK(error.diagnostics().front().message == "cannot read the fault \"" + text + "\"");
    }
  }
}

TEST_CASE("a fault that names nothing of the network says what there is", "[topology][faults]") {
  const Diagnostic tier = refusal("spin:0");
  CHECK(tier.code == "E0321");
  CHECK(tier.message == "the fault \"spin:0\" names a tier that the fabric does not have: \"spin\"");
  CHECK(tier.help == "tiers: leaf (4), spine (2), node (4, with 2 NICs); did you mean \"spine\"?");
  CHECK(refusal("spine:2").message == "the fault \"spine:2\" names a switch that the fabric does not have: spine 2");
  CHECK(refusal("node:4.0").message ==
        "the fault \"node:4.0\" names a NIC that the cluster does not have: node 4 nic 0");
  CHECK(refusal("node:0.2").code == "E0321");
  CHECK(refusal("leaf:0-leaf:1").message ==
        "the fault \"leaf:0-leaf:1\" names a cable that the fabric does not have: none joins leaf 0 and leaf 1");
  CHECK(
      refusal("leaf:0-spine:1#2").message ==
      "the fault \"leaf:0-spine:1#2\" names a cable that the fabric does not have: leaf 0 and spine 1 are joined by 2");
  CHECK(refusal("leaf:3-spine:1#1").code.empty());
}

TEST_CASE("the loss of the only path is found when traffic needs it", "[topology][faults]") {
  NetworkGraph graph = two_by_two();
  for (const char* fault : {"leaf:0-spine:0", "leaf:0-spine:1"}) apply_fault(graph, parse_fault(fault));
  const auto routes = make_routes(graph);
  const Demand same_leaf{graph.endpoint(0_node, 0), graph.endpoint(1_node, 0), 1};
  const Demand across{graph.endpoint(0_node, 0), graph.endpoint(2_node, 0), 1};
  for (const Routing routing : {Routing::hash, Routing::spray, Routing::valiant, Routing::adaptive}) {
    CHECK_NOTHROW(link_loads(graph, *routes, std::vector{same_leaf}, {.routing = routing}));
    try {
      link_loads(graph, *routes, std::vector{same_leaf, across}, {.routing = routing});
      FAIL("there is a path");
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().front().code == "E0320");
      CHECK(error.diagnostics().front().message ==
            "no path from node 0 nic 0 to node 2 nic 0: the links and switches that work do not join them");
    }
  }
}
