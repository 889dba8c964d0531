#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/hyperx.hpp"

namespace clusterwright {

namespace {

constexpr const char* hyperx_axes[] = {"x", "y", "z", "w"};

/// Joins every switch to those further along the axis.
void join_axis(NetworkAssembly& assembly, VertexId first, const HyperxSpec& grid, std::size_t axis, std::size_t kind) {
  long long stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= grid.sides[i];
  const int side = grid.sides[axis];
  for (long long s = 0; s < hyperx_switches(grid); ++s)
    for (long long d = 1; s / stride % side + d < side; ++d)
      assembly.connect(first + static_cast<VertexId>(s), first + static_cast<VertexId>(s + d * stride), kind,
                       hyperx_parallel(grid, axis));
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
    attach_endpoints(assembly, site, first + static_cast<VertexId>(site * switches), endpoint_slots(assembly.spec),
                     endpoint_kind);
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis) {
    const std::size_t kind = assembly.add_kind(hyperx_axes[axis], assembly.link_rate());
    for (int site = 0; site < assembly.sites; ++site)
      join_axis(assembly, first + static_cast<VertexId>(site * switches), grid, axis, kind);
  }
  return {first, 1, static_cast<std::uint32_t>(switches), 1};
}

}  // namespace clusterwright
