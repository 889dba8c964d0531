// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

long long torus_nodes(const TorusSpec& torus) {
  constexpr long long beyond = 1LL << 31;
  long long product = 1;
  for (const int side : torus.sides) product = std::min(beyond, product * side);
  return product;
}

void check_torus_sides(const TorusSpec& torus, int nodes) {
  const bool positive = std::all_of(torus.sides.begin(), torus.sides.end(), [](int side) { return side >= 1; });
  if (torus.sides.empty() || torus.sides.size() > 3 || !positive || torus_nodes(torus) != nodes)
    throw std::invalid_argument("the sides of a torus must multiply to its nodes");
}

long long torus_row_cables(const TorusSpec& torus, std::size_t axis) {
  const int side = torus.sides[axis];
  return torus.wrap && side > 2 ? side : side - 1;
}

long long torus_cables(const TorusSpec& torus, std::size_t axis) {
  return torus_nodes(torus) / torus.sides[axis] * torus_row_cables(torus, axis);
}

int most_router_links(const TorusSpec& torus) {
  int links = 0;
  for (const int side : torus.sides) links += std::min(side - 1, 2);
  return links;
}

long long torus_half_cut(const TorusSpec& torus, std::size_t axis) {
  const int side = torus.sides[axis];
  return torus_nodes(torus) / side * (torus.wrap && side > 2 ? 2 : 1);
}

void check_torus(FabricCheck& check) {
  const long long nodes = torus_nodes(*check.spec.torus);
  if (nodes != check.size.nodes || check.spec.torus->sides.empty())
    check.error("E0308",
                fmt::format("the product of the torus sides must be the number of nodes{} (got {} = {}, {} nodes)",
                            check.spec.sites ? " of a site" : "", fmt::join(check.spec.torus->sides, " x "), nodes,
                            check.size.nodes),
                {"/fabric/torus/sides", "/accelerators"});
}

void add_torus_tiers(SiteTiers& site) {
  const TorusSpec& torus = site.spec.torus.value();
  check_torus_sides(torus, site.size.nodes);
  const std::size_t last = last_axis(torus.sides);
  long long nodes = 1;
  int reach = 0;  // cables between the two routers farthest apart along the axes filled so far
  for (std::size_t axis = 0; axis <= last; ++axis) {
    const int side = torus.sides[axis];
    if (side == 1) continue;
    if (axis == last && side % 2 == 0 && (side > 2 || nodes == 1))
      site.add("half", nodes * side / 2, static_cast<double>(torus_half_cut(torus, axis)) * site.link_rate(),
               reach + side / 2);
    reach += torus.wrap ? side / 2 : side - 1;
    nodes *= side;
    double outside = 0;  // cables of one router along the axes not yet filled, the mean
    for (std::size_t further = axis + 1; further <= last; ++further)
      outside += 2.0 * static_cast<double>(torus_row_cables(torus, further)) / torus.sides[further];
    if (axis < last)
      site.add(grid_group(axis + 1), nodes, outside * static_cast<double>(nodes) * site.link_rate(), reach + 1);
  }
  site.add_top(nodes, reach + 1);
}

namespace {

constexpr const char* torus_axes[] = {"x", "y", "z"};

/// Cables along one axis: between each router and the next, and from the last to the first of a ring.
void join_torus_axis(NetworkAssembly& assembly, VertexId first, const TorusSpec& torus, std::size_t axis,
                     std::size_t kind) {
  const int side = torus.sides[axis];
  long long stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= torus.sides[i];
  for (long long n = 0; n < assembly.size.nodes; ++n) {
    const auto at = static_cast<int>(n / stride % side);
    const bool last = at + 1 == side;
    if (last && !(torus.wrap && side > 2)) continue;
    const long long next = last ? n - (side - 1) * stride : n + stride;
    assembly.connect(first + n, first + next, kind);
  }
}

}  // namespace

TopSwitches build_torus(NetworkAssembly& assembly) {
  const TorusSpec& torus = assembly.spec.torus.value();
  const NetworkSize& size = assembly.size;
  check_torus_sides(torus, size.nodes);
  long long cables = static_cast<long long>(size.nodes) * size.nics_per_node;
  for (std::size_t axis = 0; axis < torus.sides.size(); ++axis) cables += torus_cables(torus, axis);
  assembly.expect_cables(cables);
  const VertexId first = assembly.add_switches("router", size.nodes, assembly.ports.direct_switches);
  const BytesPerSecond all_links = most_router_links(torus) * assembly.link_rate();
  const std::size_t endpoint_kind = assembly.add_kind("node-router", std::max(all_links, size.nic_rate));
  for (int site = 0; site < assembly.sites; ++site)
    attach_endpoints(assembly, site, first + site * size.nodes, {size.nics_per_node, 1, size.nodes}, endpoint_kind);
  for (std::size_t axis = 0; axis < torus.sides.size(); ++axis) {
    const std::size_t kind = assembly.add_kind(torus_axes[axis], assembly.link_rate());
    for (int site = 0; site < assembly.sites; ++site)
      join_torus_axis(assembly, first + site * size.nodes, torus, axis, kind);
  }
  if (assembly.sites == 1) assembly.network.torus_sides = torus.sides;
  return {first, 1, static_cast<std::uint32_t>(size.nodes), 1};
}

}  // namespace clusterwright
