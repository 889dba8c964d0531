// SPDX-License-Identifier: Apache-2.0
#include "support/ids.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/graph/max_flow.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/small_fabrics.hpp"
#include "topology/routing/network_facts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr BytesPerSecond rate = nic_400g;

NetworkSize nodes_of_8(int accelerators, int rails = 8) {
  return {accelerators / 8, 8, rails, 8 * rate / rails};
}

FabricTiers tree(const std::vector<TierShape>& shapes) {
  return make_fabric_tiers(fat_tree(shapes), nodes_of_8(shapes.back().accelerators));
}

/// Racks of 16, pods of 3,072 with 7:1 above, 24,576 in all.
FabricTiers llama3() {
  return tree({{16, 1}, {3072, 7}, {24576, 1}});
}

NetworkGraph graph(const std::vector<TierShape>& shapes, int accelerators, int rails) {
  return build_network(fat_tree(shapes), nodes_of_8(accelerators, rails), {}).graph;
}

std::vector<std::string> names(const FabricTiers& fabric) {
  std::vector<std::string> list;
  for (const FabricTiers::Tier& tier : fabric.tiers()) list.push_back(tier.name);
  return list;
}

std::vector<int> sizes(const FabricTiers& fabric) {
  std::vector<int> list;
  for (const FabricTiers::Tier& tier : fabric.tiers()) list.push_back(tier.accelerators);
  return list;
}

/// Uplinks of each tier in cables of the NIC rate.
std::vector<double> uplinks(const FabricTiers& fabric) {
  std::vector<double> list;
  for (const FabricTiers::Tier& tier : fabric.tiers()) list.push_back(tier.uplink_capacity / rate);
  return list;
}

/// For each tier the latency of the two nodes farthest apart of those that meet there, measured on the graph.
std::vector<double> farthest_us(const FabricTiers& fabric, const NetworkGraph& graph, int per_node) {
  std::vector<double> most(fabric.tiers().size(), 0);
  for (int a = 0; a < graph.nodes(); ++a) {
    const auto latency = latencies_from(graph, graph.endpoint(NodeId(a), 0));
    for (int b = 0; b < graph.nodes(); ++b) {
      if (a == b) continue;
      double& of_tier = most[fabric.meeting_tier(AcceleratorId(a * per_node), AcceleratorId(b * per_node))];
      of_tier = std::max(of_tier, latency[graph.endpoint(NodeId(b), 0)].in(microsecond));
    }
  }
  return most;
}

std::vector<double> turns_us(const FabricTiers& fabric) {
  std::vector<double> list;
  for (const FabricTiers::Tier& tier : fabric.tiers()) list.push_back(tier.turn_latency.in(microsecond));
  return list;
}

}  // namespace

TEST_CASE("two accelerators meet at the lowest tier that holds both", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.meeting_tier(0_acc, 15_acc) == 0);
  CHECK(fabric.meeting_tier(15_acc, 16_acc) == 1);
  CHECK(fabric.meeting_tier(0_acc, 3071_acc) == 1);
  CHECK(fabric.meeting_tier(3071_acc, 3072_acc) == 2);
  CHECK(fabric.meeting_tier(24575_acc, 0_acc) == 2);
  CHECK(fabric.meeting_tier(7_acc, 7_acc) == 0);
}

TEST_CASE("a message in a fat tree crosses 2 t + 1 switches", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.latency(0_acc, 8_acc).in(microsecond) == Approx(0.5));      // one switch
  CHECK(fabric.latency(0_acc, 16_acc).in(microsecond) == Approx(1.5));     // up, round, down
  CHECK(fabric.latency(0_acc, 20000_acc).in(microsecond) == Approx(2.5));  // five
  CHECK(fabric.least_latency().in(microsecond) == Approx(0.5));
}

TEST_CASE("uplinks carry what arrives from below over the taper", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.tiers()[0].uplink_capacity.in(gigabyte_per_second) == Approx(16 * 50));
  CHECK(fabric.tiers()[1].uplink_capacity.in(gigabyte_per_second) == Approx(3072 * 50 / 7.0));
  CHECK(fabric.tiers()[2].uplink_capacity == BytesPerSecond{});
  CHECK_FALSE(fabric.tiers()[0].tapered);
  CHECK(fabric.tiers()[1].tapered);
  CHECK_FALSE(fabric.tiers()[2].tapered);
}

TEST_CASE("tapers multiply from tier to tier", "[topology][fabric]") {
  const FabricTiers fabric = tree({{16, 2}, {64, 3}, {256, 1}});
  CHECK(fabric.tiers()[0].uplink_capacity.in(gigabyte_per_second) == Approx(16 * 50 / 2.0));
  CHECK(fabric.tiers()[1].uplink_capacity.in(gigabyte_per_second) == Approx(64 * 50 / 6.0));
}

TEST_CASE("a non-blocking tree sends at full rate from half to half", "[topology][fabric]") {
  const FabricTiers fabric = tree({{16, 1}, {64, 1}, {256, 1}});
  for (const int n : {2, 8, 16, 32, 48, 64, 100, 256})
    CHECK(fabric.bisection(n, rate).in(gigabyte_per_second) == Approx(n / 2 * 50));
}

TEST_CASE("the taper above pods shows as soon as a job spans two of them", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.bisection(3072, rate).in(gigabyte_per_second) == Approx(1536 * 50));
  CHECK(fabric.bisection(6144, rate).in(gigabyte_per_second) == Approx(3072 * 50 / 7.0));
  // 16,384 ranks are five pods and 1,024 of a sixth; the lower half ends 2,048 into the third. What the upper half can
  // take: pods 4, 5 and 6 an uplink each (1,024 x 50 GB/s is more than that), and 1,024 inside the third pod.
  const double uplink = 3072 * 50 / 7.0;
  CHECK(fabric.bisection(16384, rate).in(gigabyte_per_second) == Approx(3 * uplink + 1024 * 50));
}

TEST_CASE("degenerate sizes cost nothing and do not fail", "[topology][fabric]") {
  CHECK(llama3().bisection(0, rate) == BytesPerSecond{});
  CHECK(llama3().bisection(1, rate) == BytesPerSecond{});
  CHECK(FabricTiers{}.bisection(8, rate) == BytesPerSecond{});
  CHECK(FabricTiers{}.meeting_tier(0_acc, 7_acc) == 0);
}

TEST_CASE("more taper never widens the bisection", "[topology][fabric]") {
  for (int n = 16; n <= 256; n += 16) {
    BytesPerSecond before = 1e9 * gigabyte_per_second;
    for (const double taper : {1.0, 1.5, 2.0, 4.0, 7.0}) {
      const BytesPerSecond now = tree({{16, 1}, {64, taper}, {256, 1}}).bisection(n, rate);
      CHECK(now <= before);
      before = now;
    }
  }
}

TEST_CASE("max-flow through every link agrees with the symbolic bisection", "[topology][fabric]") {
  using Case = std::tuple<std::vector<TierShape>, int>;
  const std::vector<Case> cases = {
      {{{32, 1}}, 32},                      // one leaf
      {{{32, 1}, {128, 1}}, 128},           // non-blocking
      {{{32, 2}, {128, 1}}, 128},           // tapered leaves
      {{{32, 1}, {64, 7}, {256, 1}}, 256},  // tapered pods
      {{{32, 3}, {64, 7}, {256, 1}}, 256},  // both
      {{{32, 1}, {64, 7}, {256, 1}}, 192},  // halves cut a pod
      {{{32, 3}, {64, 2}, {256, 1}}, 160},  // and a leaf
      {{{32, 1}, {96, 4}, {384, 1}}, 240},  // a pod that is not full
      {{{16, 1}, {48, 5}, {96, 1.5}, {384, 1}}, 336},
  };
  for (const auto& [shapes, accelerators] : cases) {
    INFO(accelerators << " accelerators, " << shapes.size() << " tiers");
    const std::vector<bool> lower = [&, n = static_cast<std::size_t>(accelerators / 8)] {
      std::vector<bool> sends(n, false);
      std::fill_n(sends.begin(), n / 2, true);
      return sends;
    }();
    CHECK(max_flow(graph(shapes, accelerators, 4), lower).in(gigabyte_per_second) ==
          Approx(tree(shapes).bisection(accelerators, rate).in(gigabyte_per_second)).epsilon(1e-6));
  }
}

TEST_CASE("no other halving of the nodes sends less", "[topology][fabric]") {
  // 10 nodes of 8, two to a leaf, four to a pod; all 252 halves of five nodes.
  const std::vector<TierShape> shapes = {{16, 1.5}, {32, 4}, {96, 1}};
  const NetworkGraph every_cable = graph(shapes, 80, 1);
  const double symbolic = tree(shapes).bisection(80, rate).in(gigabyte_per_second);
  double smallest = 1e300;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    std::vector<bool> sends;
    int senders = 0;
    for (unsigned node = 0; node < 10; ++node) {
      sends.push_back((mask >> node & 1) != 0);
      senders += sends.back() ? 1 : 0;
    }
    if (senders == 5) smallest = std::min(smallest, max_flow(every_cable, sends).in(gigabyte_per_second));
  }
  CHECK(smallest == Approx(symbolic).epsilon(1e-6));
}

TEST_CASE("tiers without a size take what their switches allow", "[topology][fabric]") {
  // 64 ports: a leaf has 32 nodes, a spine 32 leaves, a core 64 spines, which are those of 8 rails in 8 pods.
  const FabricSpec joined = fat_tree({{0}, {0}, {0}});
  CHECK(sizes(make_fabric_tiers(joined, {8192, 8, 8, rate}, all_ports(joined, 64))) ==
        std::vector<int>{256, 8192, 65536});
  const FabricSpec planes = fat_tree({{0}, {0}}, RailLayout::planes);
  CHECK(sizes(make_fabric_tiers(planes, {4, 8, 8, rate}, all_ports(planes, 64))) == std::vector<int>{256, 16384});
  const FabricSpec shared = fat_tree({{0, 3}, {0}}, RailLayout::shared);  // 48 ports down are 6 nodes of 8 NICs
  CHECK(sizes(make_fabric_tiers(shared, {4, 8, 8, rate}, all_ports(shared, 64))) == std::vector<int>{48, 3072});
}

TEST_CASE("a taper that ports cannot divide becomes the next smaller one", "[topology][fabric]") {
  // 64 ports at 1.5: 38 down, and 25.3 cables up become 26. Eight rails.
  const FabricSpec spec = fat_tree({{0, 1.5}, {0}});
  const FabricTiers fabric = make_fabric_tiers(spec, {4, 8, 8, rate}, all_ports(spec, 64));
  CHECK(fabric.tiers()[0].accelerators == 38 * 8);
  CHECK(fabric.tiers()[0].uplink_capacity / rate == Approx(26 * 8));
  CHECK(fabric.tiers()[0].tapered);
}

TEST_CASE("faster links between switches take fewer ports up", "[topology][fabric]") {
  // Up at twice the rate of NICs: 42 down at 50 GB/s are 21 up at 100 GB/s, and 42 + 21 = 63 of 64 ports.
  FabricSpec spec = fat_tree({{0}, {0}});
  spec.link_rate = 2 * rate;
  const FabricTiers fabric = make_fabric_tiers(spec, {4, 8, 8, rate}, all_ports(spec, 64));
  CHECK(fabric.tiers()[0].accelerators == 42 * 8);
  CHECK(fabric.tiers()[0].uplink_capacity / rate == Approx(42 * 8));
  CHECK_FALSE(fabric.tiers()[0].tapered);
}

TEST_CASE("a dragonfly nests switches, groups and halves", "[topology][fabric]") {
  // 4 NICs a switch are one node of 4; 8 switches with 4 global links: 32 links to 3 other groups.
  const FabricTiers fabric = make_fabric_tiers(dragonfly({4, 8, 4, 4}), {32, 8, 4, rate});
  CHECK(names(fabric) == std::vector<std::string>{"switch", "group", "half", "all"});
  CHECK(sizes(fabric) == std::vector<int>{8, 64, 128, 256});
  // 10 cables between any two groups, and 2 more of each group along the ring of groups: 32. A half is joined to the
  // other by 4 pairs of groups, and the ring of groups is cut twice: 42.
  CHECK(uplinks(fabric) == std::vector<double>{7 + 4, 32, 42, 0});
  CHECK(turns_us(fabric) == std::vector<double>{0.5, 1, 2, 2});
}

TEST_CASE("a switch tier whose edge would cut through a node is left out", "[topology][fabric]") {
  CHECK(names(make_fabric_tiers(dragonfly({4, 8, 4, 5}), {5, 8, 8, rate})) == std::vector<std::string>{"group", "all"});
}

TEST_CASE("a dragonfly+ nests leaves and groups", "[topology][fabric]") {
  const FabricTiers fabric = make_fabric_tiers(dragonfly_plus({8, 4, 8, 2, 5}), {20, 8, 8, rate});
  CHECK(names(fabric) == std::vector<std::string>{"leaf", "group", "all"});  // five groups have no halves
  CHECK(sizes(fabric) == std::vector<int>{8, 32, 160});
  CHECK(uplinks(fabric) == std::vector<double>{8, 16, 0});
  CHECK(turns_us(fabric) == std::vector<double>{0.5, 1.5, 2});
}

TEST_CASE("a HyperX nests switches, lines and planes", "[topology][fabric]") {
  const FabricTiers fabric = make_fabric_tiers(hyperx({4, 3, 4}, {1, 2, 3}, 2), {96, 1, 1, rate});
  CHECK(names(fabric) == std::vector<std::string>{"switch", "line", "plane", "half", "all"});
  CHECK(sizes(fabric) == std::vector<int>{2, 8, 24, 48, 96});
  // A switch: 3 + 2 x 2 + 3 x 3; a line: 4 switches x (4 + 9); a plane: 12 x 9; half: 12 x 2 x 2 pairs x 3.
  CHECK(uplinks(fabric) == std::vector<double>{16, 52, 108, 144, 0});
}

TEST_CASE("a torus nests lines, planes and halves", "[topology][fabric]") {
  const FabricTiers ring = make_fabric_tiers(torus({4, 4, 8}), {128, 1, 1, rate});
  CHECK(names(ring) == std::vector<std::string>{"line", "plane", "half", "all"});
  CHECK(sizes(ring) == std::vector<int>{4, 16, 64, 128});
  CHECK(uplinks(ring) == std::vector<double>{4 * 4, 16 * 2, 2 * 16, 0});
  const FabricTiers mesh = make_fabric_tiers(torus({4, 4, 8}, false), {128, 1, 1, rate});
  // The mean: 3 cables for 4 routers along y, 7 for 8 along z, two ends each.
  CHECK(uplinks(mesh) == std::vector<double>{4 * (1.5 + 1.75), 16 * 1.75, 16, 0});
}

TEST_CASE("at full size the symbolic bisection is the max-flow of every kind", "[topology][fabric]") {
  struct Case {
    FabricSpec spec;
    NetworkSize size;
  };
  const std::vector<Case> cases = {
      {torus({4, 4, 8}), {128, 1, 1, 6 * rate}},
      {torus({4, 6}, false), {24, 2, 2, 2 * rate}},
      {torus({6}), {6, 1, 1, 2 * rate}},
      {torus({2}), {2, 1, 1, rate}},
      {hyperx({4, 6}, {1, 2}, 8), {24, 8, 8, rate}},
      {hyperx({6}, {}, 6), {6, 6, 6, rate}},
      {dragonfly({4, 8, 4, 8}), {64, 4, 4, rate}},
      {dragonfly({8, 4, 4, 6}), {24, 8, 8, rate}},
      {dragonfly_plus({8, 4, 8, 2, 6}), {24, 8, 8, rate}},
  };
  for (const Case& c : cases) {
    const std::string kind(enum_name(c.spec.kind));
    INFO(kind << " of " << c.size.nodes << " nodes");
    const FabricTiers fabric = make_fabric_tiers(c.spec, c.size);
    const int accelerators = c.size.nodes * c.size.accelerators_per_node;
    REQUIRE(fabric.tiers().back().accelerators == accelerators);
    CHECK(network_bisection(build_network(c.spec, c.size, {})) / rate ==
          Approx(fabric.bisection(accelerators, c.size.per_accelerator()) / rate).epsilon(1e-6));
  }
}

TEST_CASE("the latency of a tier is that of the farthest two nodes that meet there", "[topology][fabric]") {
  struct Case {
    FabricSpec spec;
    NetworkSize size;
  };
  std::vector<Case> cases = {
      {fat_tree({{16, 1}, {64, 7}, {128, 1}}), {16, 8, 8, rate}},
      {torus({4, 3, 8}), {96, 1, 1, rate}},
      {torus({4, 3, 8}, false), {96, 1, 1, rate}},
      {torus({5}), {5, 1, 1, rate}},
      {hyperx({4, 3, 4}, {}, 2), {96, 1, 1, rate}},
      {dragonfly_plus({8, 4, 8, 2, 6}), {48, 4, 4, rate}},
      {dragonfly({2, 4, 1, 5}), {40, 1, 1, rate}},
      {fat_tree({{16, 1}, {32, 1}}), {16, 8, 8, rate}},
  };
  spread_over_sites(cases.back().spec, 4, 1 * gigabyte_per_second, 3 * millisecond);
  for (const Case& c : cases) {
    const std::string kind(enum_name(c.spec.kind));
    INFO(kind << " of " << c.size.nodes << " nodes");
    const FabricTiers fabric = make_fabric_tiers(c.spec, c.size);
    const NetworkGraph every_cable = build_network(c.spec, c.size, {}).graph;
    const std::vector<double> measured = farthest_us(fabric, every_cable, c.size.accelerators_per_node);
    for (std::size_t t = 0; t < measured.size(); ++t) {
      INFO(fabric.tiers()[t].name);
      CHECK(measured[t] == Approx(turns_us(fabric)[t]));
    }
  }
}

TEST_CASE("sites stand above the tiers that divide them", "[topology][fabric]") {
  FabricSpec spec = fat_tree({{16, 2}, {48, 1}, {960, 1}});
  spread_over_sites(spec, 3, 10 * gigabyte_per_second, 5 * millisecond);
  // 12 nodes: sites of 4 nodes or 32 accelerators; leaves of 16 divide them, spines of 48 hold a whole site.
  const FabricTiers fabric = make_fabric_tiers(spec, {12, 8, 8, rate});
  CHECK(names(fabric) == std::vector<std::string>{"leaf", "site", "all"});
  CHECK(sizes(fabric) == std::vector<int>{16, 32, 96});
  CHECK(fabric.tiers()[1].uplink_capacity.in(gigabyte_per_second) == Approx(2 * 10));
  CHECK(fabric.latency(0_acc, 16_acc).in(microsecond) == Approx(1.5));  // by a spine
  // Leaf, spine, core and border, and the same on the other side.
  CHECK(fabric.latency(0_acc, 32_acc).in(microsecond) == Approx(5000 + 8 * 0.5));
}

TEST_CASE("nodes without NICs have no network", "[topology][fabric]") {
  CHECK(make_fabric_tiers(dragonfly({4, 8, 4, 5}), {1, 8, 0, {}}).tiers().empty());
  CHECK(make_fabric_tiers(FabricSpec{}, {1, 8, 0, {}}).tiers().empty());
}
