// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_traffic.hpp"

#include <numeric>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/collective_names.hpp"
#include "support/ids.hpp"
#include "support/small_groups.hpp"
#include "support/small_networks.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Nodes with one accelerator and one NIC, two below each leaf, on a given network.
struct Pairs {
  explicit Pairs(int nodes)
      : cluster(group_cluster({.nodes = nodes, .per_node = 1, .nics = 1, .leaf_nodes = 2})),
        graph(small_rails({.blocks = nodes / 2, .nodes_per_block = 2})) {
    route();
  }

  void route() { routes = make_routes(graph); }
  TrafficContext context() const { return {cluster, graph, no_torus}; }
  std::vector<LinkLoads> loads(CollectiveOp op, Algorithm algorithm, const std::vector<Communicator>& groups) const {
    return stage_loads(op, algorithm, groups, context(), *routes, {}, {});
  }
  double busiest(const std::vector<LinkLoads>& stages) const {
    return busiest_links(graph, stages.at(0), 1).front().load;
  }
  VertexId leaf(int number) const { return graph.tiers()[0].first + number; }
  VertexId spine(int number) const { return graph.tiers()[1].first + number; }

  Cluster cluster;
  NetworkGraph graph;
  std::unique_ptr<Routes> routes;
  std::vector<int> no_torus;
};

}  // namespace

TEST_CASE("a ring crosses each NIC once and shares the cables up", "[models][traffic]") {
  const Pairs on(4);
  const auto stages = on.loads(all_gather, Algorithm::ring, {accelerators({0, 1, 2, 3})});
  REQUIRE(stages.size() == 1);
  for (int node = 0; node < 4; ++node)
    CHECK(stages[0][link_between(on.graph, on.graph.endpoint(NodeId(node), 0), on.leaf(node / 2))] == Approx(1));
  // 1 -> 2 goes up from leaf 0, half over each of two spines; 3 -> 0 comes back down.
  for (int s = 0; s < 2; ++s) {
    CHECK(stages[0][link_between(on.graph, on.leaf(0), on.spine(s))] == Approx(0.5));
    CHECK(stages[0][link_between(on.graph, on.spine(s), on.leaf(0))] == Approx(0.5));
  }
}

TEST_CASE("groups that run at once add their loads", "[models][traffic]") {
  const Pairs on(8);
  const Communicator even = accelerators({0, 2, 4, 6}), odd = accelerators({1, 3, 5, 7});
  const auto one = on.loads(all_gather, Algorithm::ring, {even});
  const auto other = on.loads(all_gather, Algorithm::ring, {odd});
  const auto both = on.loads(all_gather, Algorithm::ring, {even, odd});
  REQUIRE(both.size() == 1);
  for (const LinkId link : both[0].ids()) CHECK(both[0][link] == Approx(one[0][link] + other[0][link]).margin(1e-12));
  CHECK(on.busiest(both) == Approx(1));  // two rings, two spines
}

TEST_CASE("stages of groups run side by side, each group's first with the other's first", "[models][traffic]") {
  const Pairs on(8);
  const auto both =
      on.loads(all_reduce, Algorithm::halving_doubling, {accelerators({0, 1, 2, 3}), accelerators({4, 5})});
  // The group of four has 4 stages, that of two 2.
  REQUIRE(both.size() == 4);
  const auto sent = [&](std::size_t stage, int node) {
    return both[stage][link_between(on.graph, on.graph.endpoint(NodeId(node), 0), on.leaf(node / 2))];
  };
  // Half of the payload first: of wire, 2 * 3/4 and 2 * 1/2 payloads.
  CHECK(sent(0, 0) == Approx(0.5 / 1.5));
  CHECK(sent(0, 4) == Approx(0.5));
  CHECK(sent(2, 4) == 0);
}

TEST_CASE("switches that reduce carry each byte once over every link of their tree", "[models][traffic]") {
  const Pairs on(4);
  const auto stages = on.loads(all_reduce, Algorithm::collnet_direct, {accelerators({0, 1, 2, 3})});
  REQUIRE(stages.size() == 1);
  const double payload = 1 / 1.5;  // of wire
  for (int node = 0; node < 4; ++node) {
    const LinkId up = link_between(on.graph, on.graph.endpoint(NodeId(node), 0), on.leaf(node / 2));
    CHECK(stages[0][up] == Approx(payload));
    CHECK(stages[0][opposite(up)] == Approx(payload));
  }
  // One tree: leaf 1 reaches leaf 0 over one spine only.
  double up = 0;
  for (int s = 0; s < 2; ++s) up += stages[0][link_between(on.graph, on.leaf(1), on.spine(s))];
  CHECK(up == Approx(payload));
}

TEST_CASE("the slowest step is that of the neighbours farthest apart", "[models][traffic]") {
  const Pairs on(4);
  const auto microseconds = [&](const Communicator& group) {
    return step_latency(group, on.context(), *on.routes).farthest.in(microsecond);
  };
  CHECK(microseconds(accelerators({0, 1})) == Approx(0.5));  // one leaf
  CHECK(microseconds(accelerators({0, 2})) == Approx(1.5));  // leaf, spine, leaf
  CHECK(microseconds(accelerators({0, 1, 2, 3})) == Approx(1.5));
  CHECK(microseconds(accelerators({2})) == 0);
}

TEST_CASE("what cannot be reached is named", "[models][traffic]") {
  Pairs on(4);
  on.graph.fail_switch(on.leaf(1));
  on.route();
  for (const bool reduces : {false, true}) try {
      on.loads(all_reduce, reduces ? Algorithm::collnet_direct : Algorithm::ring, {accelerators({0, 1, 2, 3})});
      FAIL("loads without a path");
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().at(0).code == "E0320");
      CHECK(error.diagnostics().at(0).message.find("node 2 nic 0") != std::string::npos);
    }
  CHECK_THROWS_AS(step_latency(accelerators({0, 2}), on.context(), *on.routes), ConfigError);
  CHECK_NOTHROW(on.loads(all_reduce, Algorithm::ring, {accelerators({0, 1})}));
}
