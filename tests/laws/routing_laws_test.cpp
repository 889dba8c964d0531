// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/ids.hpp"
#include "support/small_networks.hpp"
#include "topology/routing/faults.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/path_walk.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// A whole number of from .. end - 1, evenly: rapidcheck's own ranges begin small.
template <typename Number>
Number pick(Number from, Number end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, end));
}

struct RandomNetwork {
  NetworkGraph graph;
  std::vector<int> groups;
  std::vector<int> sides;
};

RandomNetwork random_network() {
  switch (pick(0, 5)) {
    case 0:
      return {SmallFatTree(pick(1, 6), pick(1, 6), pick(1, 5)).graph, {}, {}};
    case 1: {
      std::vector<int> sides(pick<std::size_t>(1, 4));
      for (int& side : sides) side = pick(1, 6);
      return {small_torus(sides, *rc::gen::arbitrary<bool>(), pick(1, 3)), {}, sides};
    }
    case 2: {
      const SmallDragonfly dragonfly(pick(1, 4), pick(1, 5), pick(1, 3));
      return {dragonfly.graph, dragonfly.groups, {}};
    }
    case 3:
      return {small_full_mesh(pick(1, 9), pick(1, 5)), {}, {}};
    default:
      return {small_rails({pick(1, 6), pick(1, 4), pick(1, 4), pick(1, 5), pick(1, 4), *rc::gen::arbitrary<bool>()}),
              {},
              {}};
  }
}

LinkId random_link(const NetworkGraph& graph) {
  return LinkId(pick<std::uint32_t>(0, static_cast<std::uint32_t>(graph.links())));
}

VertexId random_endpoint(const NetworkGraph& graph) {
  return VertexId(pick<std::uint32_t>(0, static_cast<std::uint32_t>(graph.endpoints())));
}

RandomNetwork random_broken_network() {
  RandomNetwork network = random_network();
  for (int faults = pick(0, 6); faults > 0; --faults) network.graph.fail_link(random_link(network.graph));
  return network;
}

std::unique_ptr<Routes> routes_of(const RandomNetwork& network) {
  return make_routes(network.graph, network.sides, network.groups);
}

/// Between endpoints that reach each other.
std::vector<Demand> random_demands(const NetworkGraph& graph, const Routes& routes) {
  std::vector<Demand> demands;
  for (auto count = pick(0, 40); count > 0; --count) {
    const Demand demand{random_endpoint(graph), random_endpoint(graph), pick(0, 100) / 8.0};
    if (routes.reaches(demand.from, demand.to)) demands.push_back(demand);
  }
  return demands;
}

PathPolicy random_policy() {
  return {*rc::gen::element(Routing::hash, Routing::spray, Routing::valiant, Routing::adaptive), pick(1, 4),
          *rc::gen::arbitrary<std::uint64_t>()};
}

bool as_loaded(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

double busiest(const NetworkGraph& graph, const LinkLoads& loads) {
  const auto links = busiest_links(graph, loads, 1);
  return links.empty() ? 0 : links.front().seconds;
}

/// Bytes that enter a vertex less those that leave it.
IndexedVector<VertexId, double> kept(const NetworkGraph& graph, const LinkLoads& loads) {
  IndexedVector<VertexId, double> bytes(graph.vertices(), 0.0);
  for (const LinkId link : loads.ids()) {
    bytes[graph.to(link)] += loads[link];
    bytes[graph.from(link)] -= loads[link];
  }
  return bytes;
}

/// Links on shortest paths to `to` by the plainest search; -1 where there is no way.
IndexedVector<VertexId, int> searched_hops(const NetworkGraph& graph, VertexId to) {
  IndexedVector<VertexId, int> hops(graph.vertices(), -1);
  std::vector<VertexId> reached{to};
  hops[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] != to && graph.is_endpoint(reached[i])) continue;  // passes nothing on
    for (const LinkId link : graph.leaving(reached[i])) {
      const VertexId from = graph.to(link);
      if (!graph.works(link) || hops[from] >= 0) continue;
      hops[from] = hops[reached[i]] + 1;
      reached.push_back(from);
    }
  }
  return hops;
}

}  // namespace

TEST_CASE("hashed flows that are laid together take the paths that each takes alone", "[laws][routes]") {
  REQUIRE(rc::check("whatever destinations share", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const std::vector<Demand> demands = random_demands(network.graph, *routes);
    LinkLoads expected(network.graph.links(), 0.0);
    std::vector<LinkId> path;
    for (const Demand& demand : demands)
      for (std::uint32_t pair = 0; pair < 3 && demand.from != demand.to; ++pair) {
        walk_path(network.graph, *routes, {demand.from, demand.to, pair, 11}, path);
        for (const LinkId link : path) expected[link] += demand.bytes / 3;
      }
    const LinkLoads loads = link_loads(network.graph, *routes, demands, {Routing::hash, 3, 11});
    for (const LinkId link : network.graph.link_ids()) RC_ASSERT(std::abs(loads[link] - expected[link]) < 1e-9);
  }));
}

TEST_CASE("routes are shortest paths around what failed", "[laws][routes]") {
  REQUIRE(rc::check("hops are those of a plain search, and next links are all that lead nearer", [] {
    RandomNetwork network = random_broken_network();
    network.groups.clear();
    network.sides.clear();
    const NetworkGraph& graph = network.graph;
    const auto routes = routes_of(network);
    const VertexId to = random_endpoint(graph);
    const auto hops = searched_hops(graph, to);
    for (const VertexId at : graph.vertex_ids()) {
      RC_ASSERT(routes->hops(at, to) == hops[at]);
      std::vector<LinkId> expected;
      for (const LinkId link : graph.leaving(at)) {
        const bool passes = graph.to(link) == to || !graph.is_endpoint(graph.to(link));
        if (graph.works(link) && passes && hops[at] > 0 && hops[graph.to(link)] == hops[at] - 1)
          expected.push_back(link);
      }
      std::vector<LinkId> links;
      routes->next_links(at, to, links);
      RC_ASSERT(links == expected);
    }
  }));
  REQUIRE(rc::check("every next link is one link nearer, and there is one wherever there is a way", [] {
    const RandomNetwork network = random_broken_network();
    const NetworkGraph& graph = network.graph;
    const auto routes = routes_of(network);
    for (const VertexId to : graph.endpoint_ids())
      for (const VertexId at : graph.vertex_ids()) {
        std::vector<LinkId> links;
        routes->next_links(at, to, links);
        RC_ASSERT(links.empty() == (routes->hops(at, to) <= 0));
        for (const LinkId link : links) {
          RC_ASSERT(graph.works(link) && graph.from(link) == at);
          RC_ASSERT(routes->hops(graph.to(link), to) == routes->hops(at, to) - 1);
        }
      }
  }));
  REQUIRE(rc::check("the way back is as long", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    for (const VertexId a : network.graph.endpoint_ids())
      for (const VertexId b : IdRange<VertexId>(0, a.value)) RC_ASSERT(routes->hops(a, b) == routes->hops(b, a));
  }));
  REQUIRE(rc::check("a lost link never shortens a path", [] {
    RandomNetwork network = random_network();
    network.groups.clear();  // with groups, a path may take fewer links once it must cross one group more
    const auto before = routes_of(network);
    network.graph.fail_link(random_link(network.graph));
    const auto after = routes_of(network);
    for (const VertexId a : network.graph.endpoint_ids())
      for (const VertexId b : network.graph.endpoint_ids())
        RC_ASSERT(!after->reaches(a, b) || after->hops(a, b) >= before->hops(a, b));
  }));
}

TEST_CASE("no byte is lost or made", "[laws][loads]") {
  REQUIRE(rc::check("switches pass on what they get, endpoints get their demands", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    const LinkLoads loads = link_loads(network.graph, *routes, demands, random_policy(), network.groups);
    IndexedVector<VertexId, double> expected(network.graph.vertices(), 0.0);
    for (const Demand& demand : demands) {
      expected[demand.from] -= demand.bytes;
      expected[demand.to] += demand.bytes;
    }
    const auto got = kept(network.graph, loads);
    for (const VertexId v : got.ids()) RC_ASSERT(as_loaded(got[v], expected[v]));
  }));
  REQUIRE(rc::check("a failed link carries nothing", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    const LinkLoads loads = link_loads(network.graph, *routes, demands, random_policy(), network.groups);
    for (const LinkId link : loads.ids()) RC_ASSERT(network.graph.works(link) || loads[link] == 0);
  }));
  REQUIRE(rc::check("spray and hash cross as many links as the paths have", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    double expected = 0;
    for (const Demand& demand : demands) expected += demand.bytes * routes->hops(demand.from, demand.to);
    for (const Routing routing : {Routing::hash, Routing::spray}) {
      const LinkLoads loads = link_loads(network.graph, *routes, demands, {routing, 2, 5}, network.groups);
      RC_ASSERT(as_loaded(std::accumulate(loads.begin(), loads.end(), 0.0), expected));
    }
  }));
  REQUIRE(rc::check("an exchange is all pairs of its members", [] {
    const RandomNetwork network = random_broken_network();
    const NetworkGraph& graph = network.graph;
    const auto routes = routes_of(network);
    std::vector<VertexId> members;
    for (const VertexId e : everyone(graph))  // those of one part, as the members of a rail must meet
      if (routes->reaches(e, 0_v) && routes->reaches(0_v, e) && pick(0, 4) != 0) members.push_back(e);
    std::vector<Demand> demands;
    for (const VertexId from : members)
      for (const VertexId to : members) demands.push_back({from, to, 1.5});
    const PathPolicy policy = random_policy();
    const LinkLoads pairs = link_loads(graph, *routes, demands, policy, network.groups);
    const LinkLoads exchange = exchange_loads(graph, *routes, members, 1.5, policy, network.groups);
    for (const LinkId link : graph.link_ids()) RC_ASSERT(as_loaded(exchange[link], pairs[link]));
  }));
}

TEST_CASE("spraying is what a perfect fabric does", "[laws][loads]") {
  REQUIRE(rc::check("a permutation never exceeds the links of a full-bisection tree", [] {
    const SmallFatTree tree(pick(1, 6), pick(1, 6), pick(1, 6));
    std::vector<VertexId> to = everyone(tree.graph);
    std::shuffle(to.begin(), to.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    std::vector<Demand> demands;
    for (const VertexId from : tree.graph.endpoint_ids()) demands.push_back({from, to[from.value], 1});
    const auto routes = make_routes(tree.graph);
    for (const double load : link_loads(tree.graph, *routes, demands, {.routing = Routing::spray}))
      RC_ASSERT(load <= 1 + 1e-12);
  }));
  REQUIRE(rc::check("hashes over many seeds tend to spray", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    const LinkLoads spray = link_loads(network.graph, *routes, demands, {.routing = Routing::spray});
    constexpr int seeds = 300;
    LinkLoads mean(spray.size(), 0.0);
    const auto first = pick<std::uint64_t>(0, 1u << 30);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const LinkLoads hash = link_loads(network.graph, *routes, demands, {Routing::hash, 1, first + seed});
      for (const LinkId link : mean.ids()) mean[link] += hash[link] / seeds;
    }
    // A demand crosses a link or does not: variance of at most bytes^2 / 4 per seed. Equal demands draw equal paths.
    double bytes = 0;
    for (const Demand& demand : demands) bytes += demand.bytes;
    double most = 0;
    for (const Demand& demand : demands) most = std::max(most, demand.bytes);
    const double deviation = std::sqrt(bytes * std::max(most, bytes) / 4 / seeds);
    for (const LinkId link : mean.ids()) RC_ASSERT(std::abs(mean[link] - spray[link]) <= 6 * deviation);
  }));
}

TEST_CASE("labels do not matter", "[laws][loads]") {
  REQUIRE(rc::check("a shifted torus carries shifted loads", [] {
    const std::vector<int> sides{pick(3, 6), pick(3, 5)};
    const NetworkGraph graph = small_torus(sides);
    const int dx = pick(0, sides[0]);
    const int dy = pick(0, sides[1]);
    const auto shifted = [&](VertexId v) {
      const auto nodes = static_cast<std::uint32_t>(graph.nodes());
      const int node = static_cast<int>(v.value % nodes);
      const int x = (node % sides[0] + dx) % sides[0];
      const int y = (node / sides[0] + dy) % sides[1];
      return VertexId(v.value - v.value % nodes) + (y * sides[0] + x);
    };
    const auto routes = make_routes(graph, *rc::gen::arbitrary<bool>() ? sides : std::vector<int>{});
    const auto demands = random_demands(graph, *routes);
    std::vector<Demand> moved;
    for (const Demand& demand : demands) moved.push_back({shifted(demand.from), shifted(demand.to), demand.bytes});
    PathPolicy policy = random_policy();
    if (policy.routing == Routing::hash) policy.routing = Routing::spray;  // a hash does look at labels
    const LinkLoads loads = link_loads(graph, *routes, demands, policy);
    const LinkLoads moved_loads = link_loads(graph, *routes, moved, policy);
    for (const LinkId link : graph.link_ids()) {
      const LinkId there = link_between(graph, shifted(graph.from(link)), shifted(graph.to(link)));
      RC_ASSERT(as_loaded(loads[link], moved_loads[there]));
    }
  }));
  REQUIRE(rc::check("the order of demands does not matter", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    auto demands = random_demands(network.graph, *routes);
    const PathPolicy policy = random_policy();
    const LinkLoads loads = link_loads(network.graph, *routes, demands, policy, network.groups);
    std::reverse(demands.begin(), demands.end());
    const LinkLoads reversed = link_loads(network.graph, *routes, demands, policy, network.groups);
    for (const LinkId link : loads.ids()) RC_ASSERT(as_loaded(loads[link], reversed[link]));
  }));
}

TEST_CASE("detours cost at most two ways and never make the busiest link busier", "[laws][loads][valiant]") {
  REQUIRE(rc::check("valiant takes at most two longest paths", [] {
    const RandomNetwork network = random_broken_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    int longest = 0;
    for (const VertexId from : everyone(network.graph))
      for (const VertexId to : everyone(network.graph)) longest = std::max(longest, routes->hops(from, to));
    double bytes = 0;
    for (const Demand& demand : demands) bytes += demand.bytes;
    const LinkLoads loads = link_loads(network.graph, *routes, demands, {.routing = Routing::valiant}, network.groups);
    // The cables of both ends, and twice what lies between the switches of two endpoints.
    const double most = bytes * (2 * std::max(longest - 2, 0) + 2);
    RC_ASSERT(std::accumulate(loads.begin(), loads.end(), 0.0) <= most * (1 + 1e-9));
  }));
  REQUIRE(rc::check("adaptive is no busier than spray or valiant", [] {
    RandomNetwork network = random_network();
    for (int i = 0; i < 3; ++i) network.graph.slow_link(random_link(network.graph), *rc::gen::element(0.25, 0.5, 1.0));
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    const auto seconds = [&](Routing routing) {
      return busiest(network.graph, link_loads(network.graph, *routes, demands, {.routing = routing}, network.groups));
    };
    RC_ASSERT(seconds(Routing::adaptive) <= std::min(seconds(Routing::spray), seconds(Routing::valiant)) * (1 + 1e-9));
  }));
  REQUIRE(rc::check("no other mixture is better than adaptive", [] {
    const RandomNetwork network = random_network();
    const auto routes = routes_of(network);
    const auto demands = random_demands(network.graph, *routes);
    const auto loads = [&](Routing routing) {
      return link_loads(network.graph, *routes, demands, {.routing = routing}, network.groups);
    };
    const LinkLoads spray = loads(Routing::spray);
    const LinkLoads valiant = loads(Routing::valiant);
    const double best = busiest(network.graph, loads(Routing::adaptive));
    LinkLoads mixture(spray.size());
    for (double x = 0; x <= 1; x += 1.0 / 64) {
      for (const LinkId link : spray.ids()) mixture[link] = x * spray[link] + (1 - x) * valiant[link];
      RC_ASSERT(best <= busiest(network.graph, mixture) * (1 + 1e-9));
    }
  }));
}
