// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/ids.hpp"
#include "support/small_fabrics.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/fabrics/fat_tree.hpp"
#include "topology/fabrics/hyperx.hpp"
#include "topology/fabrics/torus.hpp"
#include "topology/routing/network_facts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct Fabric {
  FabricSpec spec;
  NetworkSize size;
  FabricPorts ports;

  Network build() const { return build_network(spec, size, ports); }
  FabricTiers tiers() const { return make_fabric_tiers(spec, size, ports); }
};

/// One to three tiers with and without switches, tapered or not, as a vendor might and as one would not build them.
Fabric random_fat_tree() {
  Fabric f;
  const int tiers = *rc::gen::inRange(1, 4);
  f.size.accelerators_per_node = *rc::gen::element(1, 2, 4, 8);
  f.size.nics_per_node = *rc::gen::element(1, 2, 4);
  f.size.nic_rate = nic_400g;
  std::vector<TierShape> shapes;
  int below = f.size.accelerators_per_node;
  for (int t = 0; t < tiers; ++t) {
    below *= *rc::gen::inRange(1, 7);
    const int ports = *rc::gen::element(0, 0, 8, 12, 16, 36, 64);
    const bool open = ports > 0 && *rc::gen::inRange(0, 3) == 0;
    shapes.push_back({open ? 0 : below, *rc::gen::element(1.0, 1.0, 1.5, 2.0, 3.0, 7.0)});
    f.ports.tiers.push_back(ports);
  }
  f.spec = fat_tree(shapes, *rc::gen::element(RailLayout::joined, RailLayout::planes, RailLayout::shared));
  if (*rc::gen::inRange(0, 3) == 0) f.spec.link_rate = *rc::gen::element(0.5, 2.0, 4.0) * nic_400g;
  f.size.nodes = 2 * *rc::gen::inRange(1, 40);
  RC_PRE(check_fabric(f.spec, f.size, f.ports).empty());
  return f;
}

/// Trees of tiers that nest and that hold the nodes.
Fabric sound_fat_tree() {
  Fabric f = random_fat_tree();
  FabricTiers fabric;
  try {
    fabric = f.tiers();
  } catch (const std::invalid_argument&) {
    RC_DISCARD("tiers that do not nest");
  }
  const int most = fabric.tiers().back().accelerators / f.size.accelerators_per_node;
  RC_PRE(most >= 2);
  if (f.size.nodes > most) f.size.nodes = most / 2 * 2;
  return f;
}

Fabric random_dragonfly() {
  const DragonflySpec d{*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 7), *rc::gen::inRange(1, 5),
                        *rc::gen::inRange(1, 10), *rc::gen::inRange(0, 3)};
  return {dragonfly(d), {}, {{}, d.endpoints_per_switch + d.switches_per_group - 1 + d.global_links_per_switch}};
}

Fabric random_dragonfly_plus() {
  const DragonflyPlusSpec d{*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6),
                            *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 10)};
  return {dragonfly_plus(d),
          {},
          {{}, std::max(d.endpoints_per_leaf + d.spines_per_group, d.leaves_per_group + d.global_links_per_spine)}};
}

Fabric random_hyperx() {
  const auto dimensions = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
  HyperxSpec grid;
  grid.endpoints_per_switch = *rc::gen::inRange(1, 6);
  int ports = grid.endpoints_per_switch;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    grid.sides.push_back(*rc::gen::inRange(1, 6));
    grid.links.push_back(*rc::gen::inRange(1, 4));
    ports += (grid.sides[axis] - 1) * grid.links[axis];
  }
  return {hyperx(grid.sides, grid.links, grid.endpoints_per_switch), {}, {{}, ports}};
}

Fabric random_torus() {
  std::vector<int> sides;
  for (int dimensions = *rc::gen::inRange(1, 4); dimensions > 0; --dimensions) sides.push_back(*rc::gen::inRange(1, 7));
  Fabric f{torus(sides, *rc::gen::arbitrary<bool>()), {}, {}};
  f.size.nodes = static_cast<int>(torus_nodes(*f.spec.torus));
  return f;
}

Fabric random_direct_fabric() {
  Fabric f = [] {
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        return random_dragonfly();
      case 1:
        return random_dragonfly_plus();
      case 2:
        return random_hyperx();
      default:
        return random_torus();
    }
  }();
  f.size.accelerators_per_node = *rc::gen::element(1, 4);
  f.size.nics_per_node = *rc::gen::element(1, 2, 3, 4);
  f.size.nic_rate = nic_400g;
  if (f.spec.kind != FabricKind::torus) {
    const auto most = static_cast<int>(slots_of(f.spec).nodes(f.size.nics_per_node));
    RC_PRE(most > 0);
    f.size.nodes = *rc::gen::inRange(1, most + 1);
  }
  RC_PRE(check_fabric(f.spec, f.size, f.ports).empty());
  return f;
}

Fabric random_fabric() {
  Fabric f = *rc::gen::inRange(0, 2) == 0 ? sound_fat_tree() : random_direct_fabric();
  if (*rc::gen::inRange(0, 4) > 0) return f;
  const int sites = *rc::gen::inRange(1, 4);
  spread_over_sites(f.spec, sites, 1 * gigabyte_per_second, 1 * millisecond);
  f.size.nodes *= sites;
  return f;
}

std::size_t ports_used(const NetworkGraph& graph, VertexId v, const std::string& but_for) {
  std::size_t used = 0;
  for (const LinkId link : graph.leaving(v)) used += graph.link_kinds()[graph.kind(link)].name != but_for;
  return used;
}

void law(const char* name, const std::function<void()>& body) {
  CHECK(rc::check(name, body));
}

}  // namespace

TEST_CASE("no switch has more cables than its part has ports", "[laws][fabric]") {
  law("ports", [] {
    const NetworkGraph graph = random_fabric().build().graph;
    for (const SwitchTier& tier : graph.tiers()) {
      if (tier.ports == 0) continue;
      for (const VertexId v : tier.switches())
        RC_ASSERT(ports_used(graph, v, "border") <= static_cast<std::size_t>(tier.ports));
    }
  });
}

TEST_CASE("every NIC has one cable, to a switch, and reaches all of its rail", "[laws][fabric]") {
  law("connected", [] {
    const NetworkGraph graph = random_fabric().build().graph;
    for (const VertexId endpoint : graph.endpoint_ids()) {
      RC_ASSERT(graph.leaving(endpoint).size() == 1u);
      RC_ASSERT(!graph.is_endpoint(graph.to(graph.leaving(endpoint).front())));
    }
    RC_ASSERT(!first_pair_apart(graph).has_value());
  });
}

TEST_CASE("cables by kind add up, and each kind joins the same two tiers", "[laws][fabric]") {
  law("kinds", [] {
    const NetworkGraph graph = random_fabric().build().graph;
    const auto tier_of = [&](VertexId v) {
      std::size_t tier = 0;
      while (!graph.is_endpoint(v) && v >= graph.tiers()[tier].first + graph.tiers()[tier].count) ++tier;
      return graph.is_endpoint(v) ? -1 : static_cast<int>(tier);
    };
    std::map<std::size_t, std::pair<int, int>> joins;
    for (const LinkId link : graph.cable_ids()) {
      const int a = tier_of(graph.from(link));
      const int b = tier_of(graph.to(link));
      const std::pair<int, int> ends{std::min(a, b), std::max(a, b)};
      RC_ASSERT(joins.emplace(graph.kind(link), ends).first->second == ends);
    }
    std::size_t sum = 0;
    for (const std::size_t count : graph.cables_by_kind()) sum += count;
    RC_ASSERT(sum == graph.cables());
    RC_ASSERT(graph.cables_by_kind()[0] == graph.endpoints());
  });
}

TEST_CASE("the symbolic bisection of a fat tree is the max-flow through its cables", "[laws][fabric]") {
  law("bisection", [] {
    const Fabric f = sound_fat_tree();
    const int accelerators = f.size.nodes * f.size.accelerators_per_node;
    const double symbolic = f.tiers().bisection(accelerators, f.size.per_accelerator()) / nic_400g;
    const double flow = network_bisection(f.build()) / nic_400g;
    RC_ASSERT(std::abs(flow - symbolic) <= 1e-6 * (1 + symbolic));
  });
}

TEST_CASE("a group of a fat tree never sends up less than its tapers say", "[laws][fabric]") {
  law("taper", [] {
    const Fabric f = sound_fat_tree();
    double taper = 1;
    const FabricTiers fabric = f.tiers();
    for (std::size_t t = 0; t + 1 < fabric.tiers().size(); ++t) {
      taper *= f.spec.tiers[t].taper;
      const FabricTiers::Tier& tier = fabric.tiers()[t];
      RC_ASSERT(tier.uplink_capacity / (tier.accelerators * f.size.per_accelerator() / taper) >= 1 - 1e-9);
    }
  });
}

TEST_CASE("half of a torus sends over two cables of every ring, half of a mesh over one", "[laws][fabric]") {
  law("torus", [] {
    Fabric f = random_torus();
    f.size = {f.size.nodes, 1, 1, 6 * nic_400g};
    f.spec.link_rate = nic_400g;
    const TorusSpec& t = *f.spec.torus;
    const int longest = *std::max_element(t.sides.begin(), t.sides.end());
    RC_PRE(longest % 2 == 0);
    const double closed = static_cast<double>(f.size.nodes) / longest * (t.wrap && longest > 2 ? 2 : 1);
    const double flow = network_bisection(f.build()) / nic_400g;
    RC_ASSERT(std::abs(flow - closed) <= 1e-6 * closed);
  });
}

TEST_CASE("half of a HyperX sends over every cable to the other half", "[laws][fabric]") {
  law("hyperx", [] {
    Fabric f = random_hyperx();
    HyperxSpec& grid = *f.spec.hyperx;
    grid.sides.back() *= 2;
    f.ports = {};
    f.size = {static_cast<int>(hyperx_switches(grid)) * grid.endpoints_per_switch, 1, 1, nic_400g};
    const auto cut = static_cast<double>(hyperx_half_cut(grid, grid.sides.size() - 1));
    const double closed = std::min(cut, f.size.nodes / 2.0);
    RC_ASSERT(std::abs(network_bisection(f.build()) / nic_400g - closed) <= 1e-6 * closed);
  });
}

TEST_CASE("switches and cables do not depend on who asks for them again", "[laws][fabric]") {
  law("same", [] {
    const Fabric f = random_fabric();
    const NetworkGraph a = f.build().graph;
    const NetworkGraph b = f.build().graph;
    RC_ASSERT(a.links() == b.links());
    for (const LinkId link : a.link_ids()) RC_ASSERT(a.to(link) == b.to(link) && a.capacity(link) == b.capacity(link));
  });
}

namespace {

constexpr int group_ports[] = {16, 32, 40, 64};

/// Three tiers for so many nodes; none where the tree cannot be built or does not join them.
std::optional<std::vector<FatTreeTier>> tree_of(int spine_accelerators, int nodes, int ports) {
  const FabricSpec spec = fat_tree({{0}, {spine_accelerators}, {0}});
  const NetworkSize size{nodes, 8, 8, nic_400g};
  if (!fat_tree_errors(spec, size, all_ports(spec, ports)).empty()) return {};
  try {
    const auto shape = fat_tree_shape(spec, size, all_ports(spec, ports));
    if (shape.back().nodes < nodes) return {};
    return shape;
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace

TEST_CASE("no stated size of the middle groups takes less than an open one", "[laws][fabric]") {
  CHECK(rc::check("three tiers, any ports and nodes", [] {
    const int ports = *rc::gen::elementOf(std::vector<int>(std::begin(group_ports), std::end(group_ports)));
    const int leaf = ports / 2, nodes = *rc::gen::inRange(1, ports * ports * ports / 4 / 8 + 1);
    const auto open = tree_of(0, nodes, ports);
    RC_ASSERT(open.has_value());
    for (int groups = 1; groups <= leaf; ++groups)
      if (const auto stated = tree_of(groups * leaf * 8, nodes, ports))
        RC_ASSERT(fat_tree_effort(*open, nodes) <= fat_tree_effort(*stated, nodes) * (1 + 1e-9));
  }));
}

// One more leaf group brings its 8 leaves; its spines and cores spread evenly over what is there, so a tenth more of
// all switches, and of one pod at most, may come with it.
TEST_CASE("one more scalable unit does not buy a pod", "[laws][fabric]") {
  for (const int ports : {40, 64}) {
    const int leaf = ports / 2;
    for (int units = 8; units < leaf * ports / 8 / 2; ++units) {
      const auto switches = [&](int count) { return fat_tree_switches(tree_of(0, count, ports).value(), count); };
      const long long now = switches(units * leaf);
      INFO(ports << " ports, " << units << " units");
      CHECK(switches((units + 1) * leaf) - now <= 5 * ports / 2 + now / 8);
    }
  }
}
