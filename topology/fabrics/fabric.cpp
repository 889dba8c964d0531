#include "topology/fabrics/fabric.hpp"

#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

namespace {

TopSwitches build_sites_inside(NetworkAssembly& assembly) {
  switch (assembly.spec.kind) {
    case FabricKind::dragonfly:
      return build_dragonfly(assembly);
    case FabricKind::dragonfly_plus:
      return build_dragonfly_plus(assembly);
    case FabricKind::torus:
      return build_torus(assembly);
    case FabricKind::hyperx:
      return build_hyperx(assembly);
    case FabricKind::fat_tree:
      break;
  }
  return build_fat_tree(assembly);
}

}  // namespace

Network build_network(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  NetworkAssembly assembly(spec, size, ports);
  const TopSwitches tops = build_sites_inside(assembly);
  if (spec.sites) build_sites(assembly, tops);
  assembly.network.graph.finish();
  return std::move(assembly.network);
}

}  // namespace clusterwright
