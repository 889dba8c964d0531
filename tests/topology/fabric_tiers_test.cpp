#include "topology/fabrics/fabric_tiers.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "topology/cluster_spec.hpp"
#include "topology/fabrics/fabric_graph.hpp"

using namespace clusterwright;

namespace {

constexpr BytesPerSecond rate = 50 * gigabyte_per_second;  // 400 Gbit/s

struct TierShape {
  int accelerators = 0;
  double taper = 1;
};

FabricTiers tree(const std::vector<TierShape>& shapes, BytesPerSecond per_accelerator = rate) {
  FabricSpec spec;
  spec.hop_latency.value = 0.5 * microsecond;
  for (const TierShape& shape : shapes) {
    TierSpec tier;
    tier.name = "tier " + std::to_string(spec.tiers.size());
    tier.accelerators = shape.accelerators;
    tier.taper = shape.taper;
    spec.tiers.push_back(tier);
  }
  return make_fabric_tiers(spec, per_accelerator);
}

/// Racks of 16, pods of 3,072 with 7:1 above, 24,576 in all.
FabricTiers llama3() {
  return tree({{16, 1}, {3072, 7}, {24576, 1}});
}

FabricGraph graph(const FabricTiers& fabric, int accelerators, int per_node, int rails) {
  return FabricGraph(fabric, {accelerators, per_node, rails, per_node * rate / rails});
}

}  // namespace

TEST_CASE("two accelerators meet at the lowest tier that holds both", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.meeting_tier(0, 15) == 0);
  CHECK(fabric.meeting_tier(15, 16) == 1);
  CHECK(fabric.meeting_tier(0, 3071) == 1);
  CHECK(fabric.meeting_tier(3071, 3072) == 2);
  CHECK(fabric.meeting_tier(24575, 0) == 2);
  CHECK(fabric.meeting_tier(7, 7) == 0);
}

TEST_CASE("a message crosses 2 t + 1 switches", "[topology][fabric]") {
  const FabricTiers fabric = llama3();
  CHECK(fabric.latency(0, 8).in(microsecond) == Approx(0.5));      // one switch
  CHECK(fabric.latency(0, 16).in(microsecond) == Approx(1.5));     // up, round, down
  CHECK(fabric.latency(0, 20000).in(microsecond) == Approx(2.5));  // five
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
  CHECK(FabricTiers{}.meeting_tier(0, 7) == 0);
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

TEST_CASE("an explicit fabric has the switches and links that its tiers ask for", "[topology][fabric]") {
  // 128 accelerators in 16 nodes of 8; leaves of 32, spines of 64, one core; 8 rails.
  const FabricGraph fabric = graph(tree({{32, 1}, {64, 1}, {128, 1}}), 128, 8, 8);
  CHECK(fabric.nodes() == 16);
  CHECK(fabric.switches() == 8 * (4 + 2 + 1));
  CHECK(fabric.links() == 8 * (16 + 4 + 2));
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
    const FabricTiers fabric = tree(shapes);
    INFO(accelerators << " accelerators, " << shapes.size() << " tiers");
    CHECK(graph(fabric, accelerators, 8, 4).bisection().in(gigabyte_per_second) ==
          Approx(fabric.bisection(accelerators, rate).in(gigabyte_per_second)).epsilon(1e-6));
  }
}

TEST_CASE("no other halving of the nodes sends less", "[topology][fabric]") {
  // 10 nodes of 8, two to a leaf, four to a pod; all 252 halves of five nodes.
  const FabricTiers fabric = tree({{16, 1.5}, {32, 4}, {96, 1}});
  const FabricGraph explicit_fabric = graph(fabric, 80, 8, 1);
  const double symbolic = fabric.bisection(80, rate).in(gigabyte_per_second);
  double smallest = 1e300;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    std::vector<bool> sends;
    int senders = 0;
    for (unsigned node = 0; node < 10; ++node) {
      sends.push_back((mask >> node & 1) != 0);
      senders += sends.back() ? 1 : 0;
    }
    if (senders == 5) smallest = std::min(smallest, explicit_fabric.max_flow(sends).in(gigabyte_per_second));
  }
  CHECK(smallest == Approx(symbolic).epsilon(1e-6));
}

TEST_CASE("a fabric graph refuses what it cannot draw", "[topology][fabric]") {
  const FabricTiers fabric = tree({{32, 1}});
  CHECK_THROWS_AS(graph(fabric, 12, 8, 8), std::invalid_argument);
  CHECK_THROWS_AS(graph(fabric, 0, 8, 8), std::invalid_argument);
  CHECK_THROWS_AS(graph(fabric, 32, 8, 8).max_flow({true}), std::invalid_argument);
}
