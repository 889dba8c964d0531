// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/link_loads.hpp"
#include "support/ids.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "topology/graph/counter_random.hpp"
#include "topology/routing/path_walk.hpp"
#include "topology/routing/routed_network.hpp"
#include "topology/routing/sprayed_exchange.hpp"
#include "topology/routing/valiant.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr PathPolicy hash{.routing = Routing::hash};
constexpr PathPolicy sprayed{.routing = Routing::spray};
constexpr PathPolicy valiant{.routing = Routing::valiant};
constexpr PathPolicy adaptive{.routing = Routing::adaptive};

double sum(const LinkLoads& loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0);
}

double between(const NetworkGraph& graph, const LinkLoads& loads, VertexId a, VertexId b) {
  return loads[link_between(graph, a, b)];
}

void check_equal(const LinkLoads& a, const LinkLoads& b) {
  REQUIRE(a.size() == b.size());
  for (const LinkId link : a.ids()) REQUIRE(a[link] == Approx(b[link]).margin(1e-9));
}

std::vector<Demand> pairs_among(const Routes& routes, const std::vector<VertexId>& members, double bytes) {
  std::vector<Demand> demands;
  for (const VertexId from : members)
    for (const VertexId to : members)
      if (from != to && routes.reaches(from, to)) demands.push_back({from, to, bytes});
  return demands;
}

}  // namespace

TEST_CASE("Philox gives the published draws", "[topology][loads]") {
  // Known answers for ten rounds, from the Random123 distribution.
  CHECK(philox({0, 0, 0, 0}, 0) == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("sprayed bytes split evenly over a fat tree", "[topology][loads]") {
  const SmallFatTree tree(4, 2, 2);
  const auto routes = make_routes(tree.graph);
  const LinkLoads loads = link_loads(tree.graph, *routes, std::vector<Demand>{{0_v, 15_v, 8}}, sprayed);
  CHECK(loads[tree.graph.leaving(0_v).front()] == 8);
  for (int b = 0; b < 4; ++b) {
    CHECK(between(tree.graph, loads, tree.leaf(0), tree.spine(0, b)) == 2);  // 4 ways up
    for (int c = 0; c < 2; ++c) {
      CHECK(between(tree.graph, loads, tree.spine(0, b), tree.core(b, c)) == 1);  // 8 cores
      CHECK(between(tree.graph, loads, tree.core(b, c), tree.spine(1, b)) == 1);
    }
    CHECK(between(tree.graph, loads, tree.spine(1, b), tree.leaf(3)) == 2);
  }
  CHECK(between(tree.graph, loads, tree.leaf(3), 15_v) == 8);
  CHECK(sum(loads) == Approx(6 * 8));
}

TEST_CASE("parallel cables carry a share each", "[topology][loads]") {
  const NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .spines = 2, .parallel = 3});
  const LinkLoads loads = link_loads(graph, *make_routes(graph), std::vector<Demand>{{0_v, 3_v, 6}}, sprayed);
  for (const LinkId link : graph.leaving(graph.tiers()[0].first))
    if (!graph.is_endpoint(graph.to(link))) CHECK(loads[link] == Approx(1));
}

TEST_CASE("what stays at home or weighs nothing loads nothing", "[topology][loads]") {
  const SmallFatTree tree(2, 2, 2);
  const auto routes = make_routes(tree.graph);
  for (const PathPolicy& policy : {hash, sprayed, valiant, adaptive}) {
    CHECK(sum(link_loads(tree.graph, *routes, std::vector<Demand>{{3_v, 3_v, 5}, {0_v, 7_v, 0}}, policy)) == 0);
    CHECK(sum(link_loads(tree.graph, *routes, {}, policy)) == 0);
    CHECK(sum(exchange_loads(tree.graph, *routes, {}, 1, policy)) == 0);
    CHECK(sum(exchange_loads(tree.graph, *routes, vertices({4}), 1, policy)) == 0);
  }
}

TEST_CASE("a hashed queue pair takes one shortest path, always the same", "[topology][loads]") {
  const SmallFatTree tree(4, 4, 4);
  const auto routes = make_routes(tree.graph);
  std::vector<LinkId> path;
  walk_path(tree.graph, *routes, {.from = 1_v, .to = 62_v, .queue_pair = 0, .seed = 7}, path);
  REQUIRE(path.size() == 6);
  const LinkLoads alone = link_loads(tree.graph, *routes, std::vector<Demand>{{1_v, 62_v, 1}}, {Routing::hash, 1, 7});
  for (const LinkId link : path) CHECK(alone[link] == 1);
  CHECK(sum(alone) == 6);
  const std::vector<Demand> later{{5_v, 9_v, 0}, {1_v, 62_v, 1}};
  CHECK(link_loads(tree.graph, *routes, later, {Routing::hash, 1, 7}) == alone);
}

TEST_CASE("seeds and queue pairs draw other paths", "[topology][loads]") {
  const SmallFatTree tree(4, 4, 4);
  const auto routes = make_routes(tree.graph);
  std::set<std::vector<LinkId>> by_seed;
  std::set<std::vector<LinkId>> by_queue_pair;
  std::vector<LinkId> path;
  for (std::uint32_t i = 0; i < 200; ++i) {
    walk_path(tree.graph, *routes, {.from = 1_v, .to = 62_v, .queue_pair = 0, .seed = i}, path);
    by_seed.insert(path);
    walk_path(tree.graph, *routes, {.from = 1_v, .to = 62_v, .queue_pair = i, .seed = 0}, path);
    by_queue_pair.insert(path);
  }
  CHECK(by_seed.size() == 16);  // all cores; the chance of missing one is 16 (15/16)^200 = 4e-5
  CHECK(by_queue_pair.size() == 16);
}

TEST_CASE("queue pairs share the bytes of their demand", "[topology][loads]") {
  const SmallFatTree tree(4, 4, 4);
  const LinkLoads loads =
      link_loads(tree.graph, *make_routes(tree.graph), std::vector<Demand>{{0_v, 63_v, 1}}, {Routing::hash, 4, 1});
  CHECK(sum(loads) == Approx(6));
  for (const double load : loads) CHECK(std::fmod(load, 0.25) == 0);
  CHECK(loads[tree.graph.leaving(0_v).front()] == 1);
}

TEST_CASE("less than one queue pair is refused", "[topology][loads]") {
  const SmallFatTree tree(2, 2, 2);
  CHECK_THROWS_AS(link_loads(tree.graph, *make_routes(tree.graph), {}, {Routing::hash, 0, 1}), std::invalid_argument);
}

TEST_CASE("the first pair without a path is named", "[topology][loads][faults]") {
  const NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .rails = 2, .planes = true});
  const auto routes = make_routes(graph);
  const std::vector<Demand> demands{{graph.endpoint(0_node, 0), graph.endpoint(3_node, 0)},
                                    {graph.endpoint(1_node, 0), graph.endpoint(2_node, 1)},
                                    {graph.endpoint(0_node, 0), graph.endpoint(2_node, 1)}};
  for (const PathPolicy& policy : {hash, sprayed, valiant, adaptive}) {
    try {
      link_loads(graph, *routes, demands, policy);
      FAIL("there is a path");
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().front().code == "E0320");
      CHECK(error.diagnostics().front().message ==
            "no path from node 1 nic 0 to node 2 nic 1: no switch joins rail 0 and rail 1");
    }
  }
}

TEST_CASE("an exchange over a full-bisection tree has its closed form", "[topology][loads]") {
  const SmallFatTree tree(8, 8, 8);  // 512 hosts, 8 below a leaf, 64 in a group
  const auto routes = make_routes(tree.graph);
  const LinkLoads loads = exchange_loads(tree.graph, *routes, everyone(tree.graph), 1, sprayed);
  for (const LinkId link : loads.ids()) {
    const std::string kind = tree.graph.name(std::min(tree.graph.from(link), tree.graph.to(link)));
    // A host exchanges with 511 others. 8 hosts send 504 bytes each beyond their leaf, over 8 cables; 64 hosts send 448
    // beyond their group, over 64 cables.
    const double expected = kind[0] == 'n' ? 511 : kind[0] == 'l' ? 504 : 448;
    REQUIRE(loads[link] == Approx(expected));
  }
}

TEST_CASE("an exchange equals the sum of its pairs", "[topology][loads]") {
  SmallFatTree tree(4, 3, 3);
  tree.graph.fail_link(link_between(tree.graph, tree.leaf(0), tree.spine(0, 1)));
  tree.graph.fail_switch(tree.core(2, 2));
  const SmallDragonfly dragonfly(2, 3, 1);
  const std::vector<NetworkGraph> graphs{
      tree.graph, dragonfly.graph, small_torus({4, 3}, true, 2), small_full_mesh(5, 2),
      small_rails({.blocks = 4, .nodes_per_block = 2, .rails = 3, .spines = 2, .planes = true})};
  for (const NetworkGraph& graph : graphs) {
    const std::vector<int> groups = &graph == &graphs[1] ? dragonfly.groups : std::vector<int>{};
    const auto routes = make_routes(graph, {}, groups);
    std::vector<VertexId> some = everyone(graph);
    some.erase(some.begin() + 3, some.begin() + 6);
    for (const auto& members : {everyone(graph), some, vertices({0, 1})}) {
      const auto demands = pairs_among(*routes, members, 2.5);
      for (const PathPolicy& policy : {hash, sprayed, valiant, adaptive})
        check_equal(exchange_loads(graph, *routes, members, 2.5, policy, groups),
                    link_loads(graph, *routes, demands, policy, groups));
    }
  }
}

TEST_CASE("endpoints on two switches take part in an exchange", "[topology][loads]") {
  // Nodes 0 to 3 on both leaves, node 4 on leaf 0, node 5 on leaf 1; both leaves on one spine.
  NetworkGraph graph(6, 1, 500 * nanosecond);
  const auto kind = graph.add_link_kind({"link", small_rate, {}});
  const VertexId leaf = graph.tiers()[graph.add_switches("leaf", 2)].first;
  const VertexId spine = graph.tiers()[graph.add_switches("spine", 1)].first;
  for (const VertexId node : vertices({0, 1, 2, 3}))
    for (const int side : {0, 1}) graph.connect(node, leaf + side, kind);
  graph.connect(4_v, leaf, kind);
  graph.connect(5_v, leaf + 1, kind);
  for (const int side : {0, 1}) graph.connect(leaf + side, spine, kind);
  graph.finish();
  const auto routes = make_routes(graph);
  const LinkLoads loads = exchange_loads(graph, *routes, everyone(graph), 1, sprayed);
  check_equal(loads, link_loads(graph, *routes, pairs_among(*routes, everyone(graph), 1), sprayed));
  CHECK(between(graph, loads, leaf, spine) == Approx(1));  // only node 4 and node 5 need the spine
  CHECK(between(graph, loads, 4_v, leaf) == Approx(5));
  // Node 0 reaches nodes 1 to 3 by either leaf, node 4 by leaf 0 only.
  CHECK(between(graph, loads, 0_v, leaf) == Approx(3 * 0.5 + 1));
}

TEST_CASE("members of one rail that cannot meet are an error, rails that never meet are none", "[topology][loads]") {
  NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .rails = 2, .planes = true});
  const LinkLoads loads = exchange_loads(graph, *make_routes(graph), everyone(graph), 1, sprayed);
  CHECK(loads[graph.leaving(0_v).front()] == Approx(3));  // the other three nodes, on the same rail
  graph.fail_link(graph.leaving(graph.endpoint(2_node, 1)).front());
  try {
    exchange_loads(graph, *make_routes(graph), everyone(graph), 1, sprayed);
    FAIL("there is a path");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().message ==
          "no path from node 0 nic 1 to node 2 nic 1: every link of node 2 nic 1 has failed");
  }
}

TEST_CASE("beyond its cap an exchange is sampled and scaled up", "[topology][loads]") {
  const SmallDragonfly dragonfly(2, 8, 4);  // 33 groups of 8 switches
  const NetworkGraph& graph = dragonfly.graph;
  const auto routes = make_routes(graph, {}, dragonfly.groups);
  const Stations stations(graph);
  const std::vector<StationId> all(stations.ids().begin(), stations.ids().end());
  const auto run = [&](std::size_t most_pairs) {
    LinkLoads loads(graph.links(), 0.0);
    SprayFlow flow(graph, *routes, loads);
    SprayedExchange(stations, IndexedVector<StationId, double>(stations.size(), 2.0), 1, dragonfly.groups, flow)
        .run(all, most_pairs);
    return loads;
  };
  const LinkLoads exact = run(all.size() * all.size());
  const LinkLoads sampled = run(all.size() * all.size() / 4);
  CHECK(sampled != exact);
  IndexedVector<VertexId, double> received(graph.vertices(),
                                           0.0);  // less what is sent: nothing stays with a sampled source, too
  for (const LinkId link : graph.link_ids()) {
    received[graph.to(link)] += sampled[link] - exact[link];
    received[graph.from(link)] -= sampled[link] - exact[link];
  }
  for (const double bytes : received) CHECK(std::abs(bytes) < 0.05 * 2 * 2 * 264);  // of what a switch sends in all
  CHECK(sum(sampled) == Approx(sum(exact)).epsilon(0.01));
  CHECK(busiest_links(graph, sampled, 1)[0].load == Approx(busiest_links(graph, exact, 1)[0].load).epsilon(0.2));
}

TEST_CASE("valiant goes by way of all switches but those of the ends", "[topology][loads][valiant]") {
  const NetworkGraph graph = small_full_mesh(5, 2);
  const VertexId first = graph.tiers()[0].first;
  const LinkLoads loads = link_loads(graph, *make_routes(graph), std::vector<Demand>{{0_v, 2_v, 3}}, valiant);
  CHECK(between(graph, loads, first, first + 1) == 0);
  for (const int half_way : {2, 3, 4}) {
    CHECK(between(graph, loads, first, first + half_way) == Approx(1));
    CHECK(between(graph, loads, first + half_way, first + 1) == Approx(1));
  }
  CHECK(sum(loads) == Approx(4 * 3));
}

TEST_CASE("valiant in a dragonfly avoids the groups of both ends", "[topology][loads][valiant]") {
  const SmallDragonfly dragonfly(2, 2, 2);  // 5 groups of 4 endpoints, one global cable between two groups
  const NetworkGraph& graph = dragonfly.graph;
  const auto routes = make_routes(graph, {}, dragonfly.groups);
  std::vector<Demand> demands;  // group 0 to group 1, endpoint by endpoint
  for (const VertexId e : vertices({0, 1, 2, 3})) demands.push_back({e, e + 4, 3});
  const auto global = [&](const LinkLoads& loads, int from, int to) {
    double load = 0;
    for (const LinkId link : graph.link_ids()) {
      if (graph.is_endpoint(graph.from(link)) || graph.is_endpoint(graph.to(link))) continue;
      if (dragonfly.groups[graph.switch_number(graph.from(link))] == from &&
          dragonfly.groups[graph.switch_number(graph.to(link))] == to)
        load += from == to ? 0 : loads[link];
    }
    return load;
  };
  const LinkLoads minimal = link_loads(graph, *routes, demands, sprayed, dragonfly.groups);
  CHECK(global(minimal, 0, 1) == Approx(12));  // all on the one cable
  const LinkLoads diverted = link_loads(graph, *routes, demands, valiant, dragonfly.groups);
  CHECK(global(diverted, 0, 1) == Approx(0).margin(1e-12));
  for (const int group : {2, 3, 4}) {
    CHECK(global(diverted, 0, group) == Approx(4));  // a third each
    CHECK(global(diverted, group, 1) == Approx(4));
  }
}

TEST_CASE("adaptive routing balances the short way against the detours", "[topology][loads][valiant]") {
  const NetworkGraph graph = small_full_mesh(5, 8);
  const VertexId first = graph.tiers()[0].first;
  std::vector<Demand> demands;  // all of switch 0 to switch 1
  for (const VertexId e : vertices({0, 1, 2, 3, 4, 5, 6, 7})) demands.push_back({e, e + 8, 1});
  const LinkLoads loads = link_loads(graph, *make_routes(graph), demands, adaptive);
  // 8 bytes over 4 ways that are equally busy: x * 8 = (1 - x) * 8 / 3, so x = 1/4.
  CHECK(between(graph, loads, first, first + 1) == Approx(2));
  for (const int half_way : {2, 3, 4}) CHECK(between(graph, loads, first, first + half_way) == Approx(2));
}

TEST_CASE("adaptive routing stays on the short way while that is not the busiest link", "[topology][loads][valiant]") {
  const NetworkGraph graph = small_full_mesh(5, 8);
  const auto routes = make_routes(graph);
  const std::vector<Demand> demands{{0_v, 8_v, 1}};  // its NIC is as busy whichever way it goes
  check_equal(link_loads(graph, *routes, demands, adaptive), link_loads(graph, *routes, demands, sprayed));
}

TEST_CASE("the mixture is found where two links are equally busy", "[topology][loads][valiant]") {
  NetworkGraph graph = small_full_mesh(3, 1);
  graph.slow_link(0_link, 0.5);
  LinkLoads a(graph.links(), 0.0);
  LinkLoads b(graph.links(), 0.0);
  a[0_link] = 4;  // 8 s at half the rate, as x; the other takes 6 (1 - x)
  b[2_link] = 6;
  a[4_link] = b[4_link] = 1;
  const LinkLoads mixture = least_busy_mixture(graph, a, b);
  CHECK(mixture[0_link] == Approx(4 * 6.0 / 14));  // 8 x = 6 (1 - x)
  CHECK(mixture[2_link] == Approx(6 * 8.0 / 14));
  CHECK(mixture[4_link] == Approx(1));
}

TEST_CASE("the busiest link is the one with the most seconds", "[topology][loads]") {
  NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .spines = 2});
  const VertexId leaf = graph.tiers()[0].first;
  const LinkId slow = link_between(graph, leaf, graph.tiers()[1].first + 1);
  graph.slow_link(slow, 0.25);
  const LinkLoads loads = link_loads(graph, *make_routes(graph), std::vector<Demand>{{0_v, 2_v, 1}}, sprayed);
  const auto busiest = busiest_links(graph, loads, 3);
  REQUIRE(busiest.size() == 3);
  CHECK(busiest[0].link == slow);
  CHECK(busiest[0].load == Approx(0.5));
  CHECK(busiest[0].seconds == Approx(0.5 / 12.5e9));
  CHECK(busiest[1].seconds == Approx(0.5 / 12.5e9 / 2).epsilon(1e-9));
  CHECK(busiest_links(graph, loads, 100).size() == 6);  // NIC cables and both ways over the spines
  CHECK(busiest_links(graph, LinkLoads(graph.links(), 0.0), 5).empty());
}

TEST_CASE("many hashed flows take the paths that each takes alone", "[topology][loads]") {
  const SmallFatTree tree(4, 4, 4);
  const auto routes = make_routes(tree.graph);
  std::vector<Demand> demands;
  LinkLoads expected(tree.graph.links(), 0.0);
  std::vector<LinkId> path;
  for (std::uint32_t i = 0; i < 64; ++i)
    for (const std::uint32_t to : {(i * 7 + 5) % 64, (i + 1) % 64, 63 - i}) {
      demands.push_back({VertexId(i), VertexId(to), 1.0 + i});
      for (std::uint32_t pair = 0; pair < 3 && to != i; ++pair) {
        walk_path(tree.graph, *routes, {VertexId(i), VertexId(to), pair, 11}, path);
        for (const LinkId link : path) expected[link] += demands.back().bytes / 3;
      }
    }
  const LinkLoads loads = link_loads(tree.graph, *routes, demands, {Routing::hash, 3, 11});
  for (const LinkId link : tree.graph.link_ids()) CHECK(loads[link] == Approx(expected[link]));
}

TEST_CASE("a NIC without a working cable hands over to the next one of its node", "[topology]") {
  SmallFatTree tree(4, 4, 4);
  CHECK(tree.graph.working_endpoint(NodeId(3), 0) == tree.graph.endpoint(NodeId(3), 0));
  for (const LinkId link : tree.graph.leaving(tree.graph.endpoint(NodeId(3), 0))) tree.graph.fail_link(link);
  CHECK(tree.graph.working_endpoint(NodeId(3), 0) == tree.graph.endpoint(NodeId(3), tree.graph.rails() > 1 ? 1 : 0));
}

TEST_CASE("routing with detours is even spread on a fat tree alone", "[topology]") {
  FabricSpec fabric;
  for (const Routing stated : {Routing::valiant, Routing::adaptive}) {
    fabric.routing = stated;
    fabric.kind = FabricKind::fat_tree;
    CHECK(routing_of(fabric) == Routing::spray);
    for (const FabricKind kind : {FabricKind::dragonfly, FabricKind::torus, FabricKind::hyperx}) {
      fabric.kind = kind;
      CHECK(routing_of(fabric) == stated);
    }
  }
  fabric.kind = FabricKind::fat_tree;
  fabric.routing = Routing::hash;
  CHECK(routing_of(fabric) == Routing::hash);
}
