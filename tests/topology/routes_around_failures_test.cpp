// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/routes_around_failures.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/path_walk.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// A network of 64 hosts that loses a spine and a cable to a core.
struct Failing {
  Failing() : tree(4, 4, 4), before(make_routes(tree.graph)) {
    for (const LinkId link : tree.graph.leaving(tree.spine(1, 2))) tree.graph.fail_link(link);
    tree.graph.fail_link(tree.graph.leaving(tree.core(0, 3)).front());
    around = std::make_unique<RoutesAroundFailures>(make_routes(SmallFatTree(4, 4, 4).graph), make_routes(tree.graph));
  }

  std::vector<LinkId> path(const Routes& routes, std::uint32_t from, std::uint32_t to, std::uint32_t pair) const {
    std::vector<LinkId> out;
    walk_path(tree.graph, routes, {VertexId(from), VertexId(to), pair, 5}, out);
    return out;
  }

  bool works(const std::vector<LinkId>& path) const {
    return std::ranges::all_of(path, [&](LinkId link) { return tree.graph.works(link); });
  }

  SmallFatTree tree;
  std::unique_ptr<Routes> before, around;
};

}  // namespace

TEST_CASE("a hashed flow that a failure does not touch keeps its path", "[topology][failures]") {
  const Failing net;
  int kept = 0, moved = 0;
  for (std::uint32_t from = 0; from < 64; ++from)
    for (std::uint32_t pair = 0; pair < 8; ++pair) {
      const std::uint32_t to = (from * 11 + 17) % 64;
      const std::vector<LinkId> old = net.path(*net.before, from, to, pair);
      const std::vector<LinkId> now = net.path(*net.around, from, to, pair);
      CHECK(net.works(now));
      if (net.works(old)) CHECK(now == old);
      ++(net.works(old) ? kept : moved);
    }
  CHECK(kept > 300);
  CHECK(moved > 20);
}

TEST_CASE("flows that a failure moves spread over what is left", "[topology][failures]") {
  const Failing net;
  std::vector<int> taken(3, 0);  // by spine of group 1 that works
  for (std::uint32_t pair = 0; pair < 3000; ++pair) {
    const std::vector<LinkId> now = net.path(*net.around, 16, 20, pair);  // leaf to leaf of group 1
    for (const int spine : {0, 1, 3})
      if (net.tree.graph.to(now[1]) == net.tree.spine(1, spine)) ++taken[static_cast<std::size_t>(std::min(spine, 2))];
  }
  for (const int count : taken) CHECK(count == Approx(1000).margin(120));
}

TEST_CASE("many hashed flows around a failure take the paths that each takes alone", "[topology][failures]") {
  const Failing net;
  std::vector<Demand> demands;
  LinkLoads expected(net.tree.graph.links(), 0.0);
  for (std::uint32_t from = 0; from < 64; ++from)
    for (const std::uint32_t to : {(from * 7 + 5) % 64, (from + 1) % 64}) {
      demands.push_back({VertexId(from), VertexId(to), 1.0 + from});
      for (std::uint32_t pair = 0; pair < 3 && to != from; ++pair)
        for (const LinkId link : net.path(*net.around, from, to, pair)) expected[link] += demands.back().bytes / 3;
    }
  const LinkLoads loads = link_loads(net.tree.graph, *net.around, demands, {Routing::hash, 3, 5});
  for (const LinkId link : net.tree.graph.link_ids()) CHECK(loads[link] == Approx(expected[link]));
}
