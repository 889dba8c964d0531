#include "topology/fabrics/endpoint_slots.hpp"

#include "topology/fabrics/hyperx.hpp"

namespace clusterwright {

EndpointSlots endpoint_slots(const FabricSpec& spec) {
  if (spec.kind == FabricKind::dragonfly) {
    const DragonflySpec& d = spec.dragonfly.value();
    return {d.endpoints_per_switch, d.switches_per_group, d.groups};
  }
  if (spec.kind == FabricKind::dragonfly_plus) {
    const DragonflyPlusSpec& d = spec.dragonfly_plus.value();
    return {d.endpoints_per_leaf, d.leaves_per_group, d.groups};
  }
  const HyperxSpec& grid = spec.hyperx.value();
  return {grid.endpoints_per_switch, hyperx_switches(grid), 1};
}

}  // namespace clusterwright
