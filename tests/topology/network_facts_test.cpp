// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/network_facts.hpp"
#include "support/ids.hpp"
#include "topology/graph/max_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_fabrics.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr NetworkSize nodes_of_eight{16, 8, 8, nic_400g};

Network build(const FabricSpec& spec, const NetworkSize& size = nodes_of_eight, int ports = 0) {
  return build_network(spec, size, all_ports(spec, ports));
}

LinkId link_joining(const NetworkGraph& graph, VertexId a, VertexId b) {
  for (const LinkId link : graph.leaving(a))
    if (graph.to(link) == b) return link;
  FAIL("no link");
  return {};
}

VertexId switch_of(const NetworkGraph& graph, int node, int nic) {
  return graph.to(graph.leaving(graph.endpoint(NodeId(node), nic)).front());
}

/// Parallel cables between two vertices.
int parallel(const NetworkGraph& graph, VertexId a, VertexId b) {
  int count = 0;
  for (const LinkId link : graph.leaving(a)) count += graph.to(link) == b ? 1 : 0;
  return count;
}

struct GlobalCounts {
  std::map<std::pair<int, int>, int> between_groups;  ///< cables, by the groups that they leave and enter
  std::vector<int> of_switch;
};

GlobalCounts count_globals(const Network& network) {
  const NetworkGraph& graph = network.graph;
  GlobalCounts count;
  count.of_switch.assign(graph.switches(), 0);
  for (const LinkId link : graph.link_ids()) {
    if (graph.link_kinds()[graph.kind(link)].name != "global") continue;
    const std::size_t from = graph.switch_number(graph.from(link));
    ++count.between_groups[{network.groups[from], network.groups[graph.switch_number(graph.to(link))]}];
    ++count.of_switch[from];
  }
  return count;
}

}  // namespace

TEST_CASE("facts of a small fat tree can be counted by hand", "[topology][network]") {
  // 8-port switches: 4 nodes down and 4 cables up, so 4 leaves for the 16 nodes of a rail; their 16 cables fill 2
  // spines.
  const FabricSpec spec = fat_tree({{32, 1}, {128, 1}}, RailLayout::planes);
  const NetworkFacts facts = network_facts(build(spec, nodes_of_eight, 8));
  REQUIRE(facts.switches.size() == 2);
  CHECK(facts.switches[0].name == "leaf");
  CHECK(facts.switches[0].count == 8 * 4);
  CHECK(facts.switches[1].count == 8 * 2);
  REQUIRE(facts.cables.size() == 2);
  CHECK(facts.cables[0].name == "node-leaf");
  CHECK(facts.cables[0].count == 128);
  CHECK(facts.cables[1].name == "leaf-spine");
  CHECK(facts.cables[1].count == 128);
  CHECK(facts.diameter.switches == 3);
  CHECK(facts.diameter.exact);
  CHECK(facts.bisection / nic_400g == Approx(64));
  CHECK_FALSE(facts.rails_meet);
  CHECK_FALSE(facts.apart.has_value());
}

TEST_CASE("rails meet where a switch joins them", "[topology][network]") {
  CHECK(rails_meet(build(fat_tree({{32, 1}, {128, 1}})).graph));
  CHECK(rails_meet(build(fat_tree({{32, 1}, {128, 1}}, RailLayout::shared)).graph));
  CHECK_FALSE(rails_meet(build(fat_tree({{32, 1}, {128, 1}}, RailLayout::planes)).graph));
}

TEST_CASE("joined rails have a leaf each, shared ones a leaf for the whole node", "[topology][network]") {
  const NetworkGraph joined = build(fat_tree({{32, 1}, {128, 1}})).graph;
  CHECK(switch_of(joined, 0, 0) != switch_of(joined, 0, 1));
  CHECK(switch_of(joined, 0, 5) == switch_of(joined, 3, 5));
  CHECK(switch_of(joined, 0, 5) != switch_of(joined, 4, 5));
  const NetworkGraph shared = build(fat_tree({{32, 1}, {128, 1}}, RailLayout::shared)).graph;
  CHECK(switch_of(shared, 0, 0) == switch_of(shared, 3, 7));
  CHECK(switch_of(shared, 0, 0) != switch_of(shared, 4, 0));
}

TEST_CASE("every leaf has equally many cables to every spine", "[topology][network]") {
  // 3 leaf groups of 8 rails with 32 cables up each: 16 spines, 2 cables to each.
  const FabricSpec spec = fat_tree({{256, 1}, {768, 1}});
  const NetworkGraph graph = build(spec, {96, 8, 8, nic_400g}, 64).graph;
  const SwitchTier& leaves = graph.tiers()[0];
  const SwitchTier& spines = graph.tiers()[1];
  REQUIRE(spines.count == 16);
  for (const VertexId leaf : leaves.switches())
    for (const VertexId spine : spines.switches()) CHECK(parallel(graph, leaf, spine) == 2);
}

TEST_CASE("only leaves that have nodes are built, each with all its cables up", "[topology][network]") {
  const FabricSpec spec = fat_tree({{32, 1}, {1024, 1}}, RailLayout::planes);
  const NetworkGraph graph = build(spec, {5, 8, 8, nic_400g}).graph;
  CHECK(switches_of_tier(graph, "leaf") == 8 * 2);
  CHECK(cables_of_kind(graph, "leaf-spine") == 8 * 2 * 4);
}

TEST_CASE("a switch without a part has the capacity that the taper leaves", "[topology][network]") {
  // 3 NICs of a rail over a taper of 2: one cable of 1.5 NIC rates. 3 over 1.5: two cables of one NIC rate.
  for (const double taper : {2.0, 1.5, 7.0}) {
    const FabricSpec spec = fat_tree({{24, taper}, {96, 1}});
    const NetworkGraph graph = build(spec, {12, 8, 8, nic_400g}).graph;
    CHECK(static_cast<double>(cables_of_kind(graph, "leaf-spine")) * (graph.link_kinds()[1].rate / nic_400g) ==
          Approx(8 * 4 * 3 / taper));
  }
}

TEST_CASE("links between switches may be faster than NICs", "[topology][network]") {
  FabricSpec spec = dragonfly({8, 4, 4, 4});
  spec.link_rate = 2 * nic_400g;
  const NetworkGraph graph = build(spec).graph;
  CHECK(graph.link_kinds()[0].rate == nic_400g);
  CHECK(graph.link_kinds()[1].rate == 2 * nic_400g);
}

TEST_CASE("every pair of dragonfly groups has equally many global links, or one more", "[topology][network]") {
  using Case = std::pair<int, int>;  // groups, global links of each of 4 switches
  for (const auto& [groups, h] :
       {Case{2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {9, 2}, {8, 3}, {9, 3}, {10, 3}}) {
    INFO(groups << " groups, " << 4 * h << " global links each");
    const GlobalCounts found = count_globals(build(dragonfly({32, 4, h, groups}), {groups, 8, 8, nic_400g}));
    for (const auto& [pair, cables] : found.between_groups) {
      CHECK(cables >= 4 * h / (groups - 1));
      CHECK(cables <= (4 * h + groups - 2) / (groups - 1));
    }
    CHECK(found.between_groups.size() == static_cast<std::size_t>(groups * (groups - 1)));
    const auto [least, most] = std::minmax_element(found.of_switch.begin(), found.of_switch.end());
    CHECK(*most <= h);
    CHECK(*most - *least <= 1);
  }
}

TEST_CASE("in a dragonfly no two endpoints are more than four switches apart", "[topology][network]") {
  const Network network = build(dragonfly({2, 4, 2, 9}), {72, 1, 1, nic_400g});
  CHECK(network.graph.switches() == 36);
  CHECK(cables_of_kind(network.graph, "local") == 9 * 6);
  CHECK(cables_of_kind(network.graph, "global") == 9 * 8 / 2);
  CHECK(network_diameter(network).switches == 4);
}

TEST_CASE("a dragonfly+ joins every leaf with every spine of its group", "[topology][network]") {
  const Network network = build(dragonfly_plus({8, 4, 2, 3, 4}), {16, 8, 8, nic_400g});
  CHECK(switches_of_tier(network.graph, "leaf") == 16);
  CHECK(switches_of_tier(network.graph, "spine") == 8);
  CHECK(cables_of_kind(network.graph, "local") == 4 * 4 * 2);
  CHECK(cables_of_kind(network.graph, "global") == 4 * 6 / 2);
  CHECK(network_diameter(network).switches == 4);
  CHECK(network.groups.size() == 24);
  CHECK(network.groups[0] == network.groups[16]);  // first leaf, first spine
  CHECK(network.groups[15] == network.groups[23]);
}

TEST_CASE("a torus counts a side of two once, and a mesh leaves rings open", "[topology][network]") {
  const Network torus_ = build(torus({4, 2, 3}), {24, 1, 1, nic_400g});
  CHECK(cables_of_kind(torus_.graph, "x") == 24);
  CHECK(cables_of_kind(torus_.graph, "y") == 12);
  CHECK(cables_of_kind(torus_.graph, "z") == 24);
  CHECK(torus_.torus_sides == std::vector<int>{4, 2, 3});
  CHECK(network_diameter(torus_).switches == 2 + 1 + 1 + 1);
  const Network mesh = build(torus({4, 2, 3}, false), {24, 1, 1, nic_400g});
  CHECK(cables_of_kind(mesh.graph, "x") == 18);
  CHECK(cables_of_kind(mesh.graph, "z") == 16);
  CHECK(network_diameter(mesh).switches == 3 + 1 + 2 + 1);
}

TEST_CASE("neighbours in a torus differ by one step along one side", "[topology][network]") {
  const NetworkGraph graph = build(torus({4, 2, 3}), {24, 1, 1, nic_400g}).graph;
  const VertexId first = graph.tiers()[0].first;
  CHECK(parallel(graph, first, first + 1) == 1);
  CHECK(parallel(graph, first, first + 3) == 1);   // round x
  CHECK(parallel(graph, first, first + 4) == 1);   // y
  CHECK(parallel(graph, first, first + 8) == 1);   // z
  CHECK(parallel(graph, first, first + 16) == 1);  // round z
  CHECK(graph.leaving(first).size() == 1 + 2 + 1 + 2);
}

TEST_CASE("the NICs of a torus node never limit its router", "[topology][network]") {
  FabricSpec spec = torus({4, 4, 4});
  spec.link_rate = nic_400g / 2;
  CHECK(build(spec, {64, 1, 1, nic_400g / 2}).graph.link_kinds()[0].rate == 3 * nic_400g);
}

TEST_CASE("the bisection of a torus cuts its longest side", "[topology][network]") {
  // 2 x 8 x 4 / 8 = 8 cables across x, whichever way nodes are numbered.
  CHECK(network_bisection(build(torus({8, 4}), {32, 1, 1, nic_400g})) / nic_400g == Approx(8));
  CHECK(network_bisection(build(torus({4, 8}), {32, 1, 1, nic_400g})) / nic_400g == Approx(8));
  CHECK(network_bisection(build(torus({16, 4, 2}), {128, 1, 1, nic_400g})) / nic_400g == Approx(2 * 4 * 2));
  CHECK(network_bisection(build(torus({4, 8}, false), {32, 1, 1, nic_400g})) / nic_400g == Approx(4));
}

TEST_CASE("a HyperX joins all switches along each side", "[topology][network]") {
  const Network network = build(hyperx({4, 3}, {1, 2}, 2), {24, 1, 1, nic_400g});
  CHECK(cables_of_kind(network.graph, "x") == 3 * 6);
  CHECK(cables_of_kind(network.graph, "y") == 4 * 3 * 2);
  const VertexId first = network.graph.tiers()[0].first;
  CHECK(parallel(network.graph, first, first + 8) == 2);
  CHECK(network_diameter(network).switches == 3);
}

TEST_CASE("sites are joined each with each, and inside only at the top", "[topology][network]") {
  FabricSpec spec = fat_tree({{32, 1}, {64, 1}});
  spread_over_sites(spec, 4, 1 * gigabyte_per_second, 20 * millisecond);
  const Network network = build(spec);
  CHECK(switches_of_tier(network.graph, "site") == 4);
  CHECK(cables_of_kind(network.graph, "site") == 6);
  CHECK(cables_of_kind(network.graph, "border") == 4);
  CHECK(network_diameter(network).switches == 6);  // leaf, spine, border, and back
  // Two sites send to two: four links.
  CHECK(network_bisection(network).in(gigabyte_per_second) == Approx(4));
  const auto latency = latencies_from(network.graph, network.graph.endpoint(0_node, 0));
  CHECK(latency[network.graph.endpoint(15_node, 0)].in(microsecond) == Approx(20000 + 6 * 0.5));
}

TEST_CASE("rail planes stay apart between sites too", "[topology][network]") {
  FabricSpec spec = fat_tree({{32, 1}, {64, 1}}, RailLayout::planes);
  spread_over_sites(spec, 2, 8 * gigabyte_per_second, 20 * millisecond);
  const Network network = build(spec);
  CHECK_FALSE(rails_meet(network.graph));
  CHECK_FALSE(first_pair_apart(network.graph).has_value());
  CHECK(network_bisection(network).in(gigabyte_per_second) == Approx(8));  // an eighth for each rail
}

TEST_CASE("sites of a dragonfly go on counting groups, and have one for each border", "[topology][network]") {
  FabricSpec spec = dragonfly({8, 2, 2, 4});
  spread_over_sites(spec, 2, 8 * gigabyte_per_second, 20 * millisecond);
  const Network network = build(spec);
  CHECK(network.groups == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9});
  CHECK_FALSE(first_pair_apart(network.graph).has_value());
}

TEST_CASE("a cut-off NIC is found and named", "[topology][network]") {
  Network network = build(fat_tree({{32, 1}, {128, 1}}));
  NetworkGraph& graph = network.graph;
  graph.fail_link(link_joining(graph, graph.endpoint(3_node, 2), switch_of(graph, 3, 2)));
  const auto apart = network_facts(network).apart;
  REQUIRE(apart.has_value());
  CHECK(graph.name(apart->first) == "node 0 nic 2");
  CHECK(graph.name(apart->second) == "node 3 nic 2");
}

TEST_CASE("failed cables lower the bisection", "[topology][network]") {
  Network network = build(torus({8}), {8, 1, 1, nic_400g});
  const VertexId first = network.graph.tiers()[0].first;
  CHECK(network_bisection(network) / nic_400g == Approx(2));
  network.graph.fail_link(link_joining(network.graph, first + 3, first + 4));
  CHECK(network_bisection(network) / nic_400g == Approx(1));
  CHECK(network_diameter(network).switches == 8);
}

TEST_CASE("what cannot be built is refused", "[topology][network]") {
  CHECK_THROWS_AS(build(fat_tree({{12, 1}, {128, 1}})), std::invalid_argument);  // no whole nodes
  CHECK_THROWS_AS(build(fat_tree({{32, 1}, {64, 1}})), std::invalid_argument);   // 16 nodes do not fit
  CHECK_THROWS_AS(build(FabricSpec{}), std::invalid_argument);
  CHECK_THROWS_AS(build(torus({3, 5})), std::invalid_argument);
  CHECK_THROWS_AS(build(dragonfly({8, 3, 2, 5})), std::invalid_argument);
  CHECK_THROWS_AS(build(dragonfly({64, 2, 1, 5})), std::invalid_argument);
  CHECK_THROWS_AS(build(fat_tree({{32, 1}, {128, 1}}), {16, 8, 0, {}}), std::invalid_argument);
  CHECK_THROWS_AS(max_flow(build(torus({4, 4})).graph, {true}), std::invalid_argument);
}

TEST_CASE("networks beyond any memory are refused before they are built", "[topology][network]") {
  try {
    build(hyperx({4096, 4096}, {}, 1), {16, 1, 1, nic_400g});
    FAIL("built");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().at(0).code == "E0501");
  }
}
