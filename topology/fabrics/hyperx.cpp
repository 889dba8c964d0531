// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/hyperx.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

long long hyperx_switches(const HyperxSpec& grid) {
  constexpr long long beyond = 1LL << 31;
  long long product = 1;
  for (const int side : grid.sides) product = std::min(beyond, product * side);
  return product;
}

int hyperx_parallel(const HyperxSpec& grid, std::size_t axis) {
  return grid.links.empty() ? 1 : grid.links.at(axis);
}

long long hyperx_switch_cables(const HyperxSpec& grid, std::size_t axis) {
  return (grid.sides[axis] - 1LL) * hyperx_parallel(grid, axis);
}

long long hyperx_cables(const HyperxSpec& grid, std::size_t axis) {
  return hyperx_switches(grid) * hyperx_switch_cables(grid, axis) / 2;
}

long long hyperx_half_cut(const HyperxSpec& grid, std::size_t axis) {
  const long long half = grid.sides[axis] / 2;
  return hyperx_switches(grid) / grid.sides[axis] * half * half * hyperx_parallel(grid, axis);
}

EndpointSlots hyperx_slots(const FabricSpec& spec) {
  const HyperxSpec& grid = spec.hyperx.value();
  return {grid.endpoints_per_switch, hyperx_switches(grid), 1};
}

void check_hyperx(FabricCheck& check) {
  const HyperxSpec& grid = *check.spec.hyperx;
  if (grid.sides.empty() || (!grid.links.empty() && grid.links.size() != grid.sides.size())) {
    check.error("E0308",
                fmt::format("one number of links per dimension is needed (got {}, {} dimensions)", grid.links.size(),
                            grid.sides.size()),
                {grid.sides.empty() ? "/fabric/hyperx/sides" : "/fabric/hyperx/links", "/fabric/hyperx/sides"});
    return;
  }
  long long needed = grid.endpoints_per_switch;
  std::string sum = std::to_string(grid.endpoints_per_switch);
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis) {
    needed += hyperx_switch_cables(grid, axis);
    sum += fmt::format(" + {}", hyperx_switch_cables(grid, axis));
  }
  check.check_ports(needed, sum, "/fabric/hyperx");
  check.check_slots(hyperx_slots(check.spec), "/fabric/hyperx");
}

void add_hyperx_tiers(SiteTiers& site) {
  const HyperxSpec& grid = *site.spec.hyperx;
  const std::size_t last = last_axis(grid.sides);
  double outside = 0;  // cables of one switch along the axes not yet filled
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis)
    outside += static_cast<double>(hyperx_switch_cables(grid, axis));
  long long switches = 1;
  int crossed = 1;
  site.add_switches(grid_group(0), 1, grid.endpoints_per_switch, outside, crossed);
  for (std::size_t axis = 0; axis <= last; ++axis) {
    const int side = grid.sides[axis];
    if (side == 1) continue;
    outside -= static_cast<double>(hyperx_switch_cables(grid, axis));
    ++crossed;
    if (axis == last && side % 2 == 0 && side > 2)
      site.add_switches("half", switches * side / 2, grid.endpoints_per_switch,
                        static_cast<double>(hyperx_half_cut(grid, axis)), crossed);
    switches *= side;
    if (axis < last)
      site.add_switches(grid_group(axis + 1), switches, grid.endpoints_per_switch,
                        outside * static_cast<double>(switches), crossed);
  }
  site.add_top(hyperx_slots(site.spec).nodes(site.size.nics_per_node), crossed);
}

namespace {

constexpr const char* hyperx_axes[] = {"x", "y", "z", "w"};

/// Joins every switch to those further along the axis.
void join_hyperx_axis(NetworkAssembly& assembly, VertexId first, const HyperxSpec& grid, std::size_t axis,
                      std::size_t kind) {
  long long stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= grid.sides[i];
  const int side = grid.sides[axis];
  for (long long s = 0; s < hyperx_switches(grid); ++s)
    for (long long d = 1; s / stride % side + d < side; ++d)
      assembly.connect(first + s, first + (s + d * stride), kind, hyperx_parallel(grid, axis));
}

}  // namespace

TopSwitches build_hyperx(NetworkAssembly& assembly) {
  const HyperxSpec& grid = assembly.spec.hyperx.value();
  const long long switches = hyperx_switches(grid);
  long long cables = static_cast<long long>(assembly.size.nodes) * assembly.size.nics_per_node;
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis) cables += hyperx_cables(grid, axis);
  assembly.expect_cables(cables);
  const VertexId first = assembly.add_switches("switch", switches, assembly.ports.direct_switches);
  const std::size_t endpoint_kind = assembly.add_kind("node-switch", assembly.size.nic_rate);
  for (int site = 0; site < assembly.sites; ++site)
    attach_endpoints(assembly, site, first + site * switches, hyperx_slots(assembly.spec), endpoint_kind);
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis) {
    const std::size_t kind = assembly.add_kind(hyperx_axes[axis], assembly.link_rate());
    for (int site = 0; site < assembly.sites; ++site)
      join_hyperx_axis(assembly, first + site * switches, grid, axis, kind);
  }
  return {first, 1, static_cast<std::uint32_t>(switches), 1};
}

}  // namespace clusterwright
