#include <algorithm>

#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/torus.hpp"

namespace clusterwright {

namespace {

constexpr const char* torus_axes[] = {"x", "y", "z"};

/// Cables along one axis: between each router and the next, and from the last to the first of a ring.
void join_axis(NetworkAssembly& assembly, VertexId first, const TorusSpec& torus, std::size_t axis, std::size_t kind) {
  const int side = torus.sides[axis];
  long long stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= torus.sides[i];
  for (long long n = 0; n < assembly.size.nodes; ++n) {
    const auto at = static_cast<int>(n / stride % side);
    const bool last = at + 1 == side;
    if (last && !(torus.wrap && side > 2)) continue;
    const long long next = last ? n - (side - 1) * stride : n + stride;
    assembly.connect(first + static_cast<VertexId>(n), first + static_cast<VertexId>(next), kind);
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
    attach_endpoints(assembly, site, first + static_cast<VertexId>(site) * static_cast<VertexId>(size.nodes),
                     {size.nics_per_node, 1, size.nodes}, endpoint_kind);
  for (std::size_t axis = 0; axis < torus.sides.size(); ++axis) {
    const std::size_t kind = assembly.add_kind(torus_axes[axis], assembly.link_rate());
    for (int site = 0; site < assembly.sites; ++site)
      join_axis(assembly, first + static_cast<VertexId>(site) * static_cast<VertexId>(size.nodes), torus, axis, kind);
  }
  if (assembly.sites == 1) assembly.network.torus_sides = torus.sides;
  return {first, 1, static_cast<std::uint32_t>(size.nodes), 1};
}

}  // namespace clusterwright
