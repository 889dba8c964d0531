// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/routes.hpp"
#include "support/ids.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "topology/routing/torus_routes.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::vector<LinkId> next(const Routes& routes, VertexId at, VertexId to) {
  std::vector<LinkId> links;
  routes.next_links(at, to, links);
  return links;
}

/// Names of the vertices that the next links lead to.
std::vector<std::string> next_names(const NetworkGraph& graph, const Routes& routes, VertexId at, VertexId to) {
  std::vector<std::string> names;
  for (const LinkId link : next(routes, at, to)) names.push_back(graph.name(graph.to(link)));
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a fat tree has paths of 2, 4 and 6 links", "[topology][routes]") {
  const SmallFatTree tree(4, 4, 4);  // 64 hosts, 4 below a leaf, 16 in a group
  const auto routes = make_routes(tree.graph);
  CHECK(routes->hops(0_v, 0_v) == 0);
  CHECK(routes->hops(0_v, 3_v) == 2);
  CHECK(routes->hops(0_v, 4_v) == 4);
  CHECK(routes->hops(0_v, 15_v) == 4);
  CHECK(routes->hops(0_v, 16_v) == 6);
  CHECK(routes->hops(tree.leaf(0), 3_v) == 1);
  CHECK(routes->hops(tree.core(0, 0), 63_v) == 3);
}

TEST_CASE("every link of a D-mod-K route is among the next links", "[topology][routes]") {
  const SmallFatTree tree(4, 2, 3);
  const auto routes = make_routes(tree.graph);
  for (int from = 0; from < tree.hosts(); ++from)
    for (int to = 0; to < tree.hosts(); ++to) {
      if (from == to) continue;
      const auto path = tree.d_mod_k(from, to);
      const VertexId end = path.back();
      REQUIRE(routes->hops(path.front(), end) == static_cast<int>(path.size()) - 1);
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        const auto links = next(*routes, path[i], end);
        const bool found =
            std::any_of(links.begin(), links.end(), [&](LinkId link) { return tree.graph.to(link) == path[i + 1]; });
        REQUIRE(found);
      }
    }
}

TEST_CASE("next links are all links that lead nearer, in the order of their numbers", "[topology][routes]") {
  const SmallFatTree tree(4, 2, 3);
  const NetworkGraph& graph = tree.graph;
  const auto routes = make_routes(graph);
  CHECK(next_names(graph, *routes, 0_v, 23_v) == Names{"leaf 0"});
  CHECK(next_names(graph, *routes, tree.leaf(0), 23_v) == Names{"spine 0", "spine 1", "spine 2", "spine 3"});
  CHECK(next_names(graph, *routes, tree.spine(0, 1), 23_v) == Names{"core 2", "core 3"});
  CHECK(next_names(graph, *routes, tree.core(1, 0), 23_v) == Names{"spine 9"});
  CHECK(next_names(graph, *routes, tree.leaf(5), 23_v) == Names{"node 23 nic 0"});
  CHECK(next(*routes, 23_v, 23_v).empty());
}

TEST_CASE("parallel cables are next links each", "[topology][routes]") {
  const NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .spines = 2, .parallel = 3});
  const auto links = next(*make_routes(graph), graph.tiers()[0].first, 3_v);
  CHECK(links.size() == 6);
  CHECK(std::is_sorted(links.begin(), links.end()));
}

TEST_CASE("rails that no switch joins do not reach each other", "[topology][routes]") {
  const NetworkGraph graph = small_rails({.blocks = 2, .nodes_per_block = 2, .rails = 2, .planes = true});
  const auto routes = make_routes(graph);
  CHECK(routes->hops(graph.endpoint(0_node, 0), graph.endpoint(3_node, 0)) == 4);
  CHECK(routes->hops(graph.endpoint(0_node, 0), graph.endpoint(0_node, 1)) == -1);
  CHECK(next(*routes, graph.endpoint(0_node, 0), graph.endpoint(3_node, 1)).empty());
  CHECK_FALSE(routes->reaches(graph.endpoint(0_node, 0), graph.endpoint(3_node, 1)));
}

TEST_CASE("routes go around failed links and switches", "[topology][routes][faults]") {
  SmallFatTree tree(2, 2, 2);
  NetworkGraph& graph = tree.graph;
  graph.fail_link(link_between(graph, tree.leaf(0), tree.spine(0, 0)));
  graph.fail_switch(tree.core(1, 1));
  const auto routes = make_routes(graph);
  CHECK(next_names(graph, *routes, tree.leaf(0), 7_v) == Names{"spine 1"});
  CHECK(next_names(graph, *routes, tree.spine(0, 1), 7_v) == Names{"core 2"});
  CHECK(next_names(graph, *routes, tree.leaf(1), 0_v) == Names{"spine 1"});
  graph.fail_link(graph.leaving(3_v).front());
  CHECK(make_routes(graph)->hops(0_v, 3_v) == -1);
  CHECK(make_routes(graph)->hops(3_v, 0_v) == -1);
  CHECK(make_routes(graph)->hops(3_v, 3_v) == 0);
}

TEST_CASE("an endpoint on two switches takes the nearer one and passes nothing on", "[topology][routes]") {
  // switch 0 - switch 1 - switch 2; node 0 on switches 0 and 2, node 1 on 0, node 2 on 2
  NetworkGraph graph(3, 1, 500 * nanosecond);
  const auto kind = graph.add_link_kind({"link", small_rate, {}});
  const VertexId first = graph.tiers()[graph.add_switches("switch", 3)].first;
  graph.connect(0_v, first, kind);
  graph.connect(0_v, first + 2, kind);
  graph.connect(1_v, first, kind);
  graph.connect(2_v, first + 2, kind);
  graph.connect(first, first + 1, kind);
  graph.connect(first + 1, first + 2, kind);
  graph.finish();
  const auto routes = make_routes(graph);
  CHECK(routes->hops(0_v, 1_v) == 2);
  CHECK(next_names(graph, *routes, 0_v, 1_v) == Names{"switch 0"});
  CHECK(next_names(graph, *routes, 0_v, 2_v) == Names{"switch 2"});
  CHECK(routes->hops(1_v, 2_v) == 4);  // by way of switch 1; through node 0 it would be as long
  CHECK(next_names(graph, *routes, first, 2_v) == Names{"switch 1"});
  CHECK(next_names(graph, *routes, first + 1, 0_v) == Names{"switch 0", "switch 2"});
}

TEST_CASE("a torus is as near as breadth-first search finds it", "[topology][routes][torus]") {
  for (const auto& sides : std::vector<std::vector<int>>{{1}, {2}, {5}, {6}, {2, 3}, {4, 4}, {3, 1, 4}, {4, 2, 5}})
    for (const bool wrap : {true, false}) {
      const NetworkGraph graph = small_torus(sides, wrap, 2);
      const auto routes = TorusRoutes::recognise(graph, sides);
      REQUIRE(routes);
      const auto searched = make_routes(graph);
      for (const VertexId from : graph.vertex_ids())
        for (const VertexId to : graph.endpoint_ids()) REQUIRE(routes->hops(from, to) == searched->hops(from, to));
    }
}

TEST_CASE("a torus is crossed one side after the other", "[topology][routes][torus]") {
  const NetworkGraph graph = small_torus({5, 4});
  const auto routes = make_routes(graph, {5, 4});
  const VertexId router = graph.tiers()[0].first;
  CHECK(next_names(graph, *routes, router, VertexId(1 + 5)) == Names{"router 1"});      // x first
  CHECK(next_names(graph, *routes, router + 1, VertexId(1 + 5)) == Names{"router 6"});  // then y
  CHECK(next_names(graph, *routes, router, VertexId(3 + 5)) ==
        Names{"router 4"});  // two back are nearer than three forth
  CHECK(next_names(graph, *routes, router, 10_v) == Names{"router 5", "router 15"});  // y by 2 of 4: both ways round
  CHECK(next_names(graph, *routes, router + 10, 10_v) == Names{"node 10 nic 0"});
}

TEST_CASE("a torus with a failed cable is searched", "[topology][routes][torus][faults]") {
  NetworkGraph graph = small_torus({4, 4});
  const VertexId router = graph.tiers()[0].first;
  CHECK(next_names(graph, *make_routes(graph, {4, 4}), router, 5_v) == Names{"router 1"});
  graph.fail_link(link_between(graph, router, router + 1));
  CHECK_FALSE(TorusRoutes::recognise(graph, {4, 4}));
  const auto routes = make_routes(graph, {4, 4});
  CHECK(next_names(graph, *routes, router, 5_v) == Names{"router 4"});
  CHECK(routes->hops(0_v, 1_v) == 5);  // three routers round instead of the next one
}

TEST_CASE("a graph that is no such torus is searched", "[topology][routes][torus]") {
  CHECK_FALSE(TorusRoutes::recognise(small_torus({4, 4}), {8, 2}));
  CHECK_FALSE(TorusRoutes::recognise(small_torus({4, 4}), {4, 5}));
  CHECK_FALSE(TorusRoutes::recognise(small_full_mesh(4, 2), {4}));
  CHECK(make_routes(small_full_mesh(4, 2), {4})->hops(0_v, 7_v) == 3);
}

TEST_CASE("a dragonfly is crossed by one global link", "[topology][routes]") {
  const SmallDragonfly dragonfly(1, 4, 2);  // 9 groups
  const NetworkGraph& graph = dragonfly.graph;
  const auto group = [&](VertexId v) { return dragonfly.groups[graph.switch_number(v)]; };
  const auto routes = make_routes(graph, {}, dragonfly.groups);
  const auto by_links = make_routes(graph);
  std::size_t shorter_by_a_third_group = 0;
  for (const VertexId to : graph.endpoint_ids()) {
    for (const VertexId at : graph.switch_ids()) {
      for (const LinkId link : next(*routes, at, to)) {
        if (graph.is_endpoint(graph.to(link))) continue;
        // A global link leads to the group of the end, where one local link is left at most.
        if (group(graph.to(link)) == group(at)) continue;
        REQUIRE(group(graph.to(link)) == group(graph.to(graph.leaving(to).front())));
        REQUIRE(routes->hops(graph.to(link), to) <= 2);
      }
      if (by_links->hops(at, to) < routes->hops(at, to)) ++shorter_by_a_third_group;
    }
  }
  CHECK(shorter_by_a_third_group > 0);
}

TEST_CASE("paths may be longer than a byte counts", "[topology][routes]") {
  NetworkGraph graph = small_torus({700});
  const VertexId router = graph.tiers()[0].first;
  graph.fail_link(link_between(graph, router, router + 699));
  const auto routes = make_routes(graph, {700});
  CHECK(routes->hops(0_v, 699_v) == 701);
  CHECK(routes->hops(0_v, 255_v) == 257);
  CHECK(next_names(graph, *routes, router, 699_v) == Names{"router 1"});
}

TEST_CASE("paths inside groups may be long, too", "[topology][routes]") {
  const NetworkGraph graph = small_torus({40}, false);
  std::vector<int> groups(40, 0);
  for (std::size_t i = 20; i < 40; ++i) groups[i] = 1;
  const auto routes = make_routes(graph, {}, groups);
  CHECK(routes->hops(0_v, 39_v) == 41);
  CHECK(routes->hops(0_v, 20_v) == 22);
  CHECK(next_names(graph, *routes, graph.tiers()[0].first + 19, 39_v) == Names{"router 20"});
}
