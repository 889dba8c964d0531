/// HyperX.
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

long long hyperx_switches(const HyperxSpec& grid);
/// Parallel cables between two switches along `axis`.
int hyperx_parallel(const HyperxSpec& grid, std::size_t axis);
/// Cables of one switch along `axis`.
long long hyperx_switch_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables along `axis` of the whole grid.
long long hyperx_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables between the lower and the upper half along `axis`, whose side is even.
long long hyperx_half_cut(const HyperxSpec& grid, std::size_t axis);

/// Ports for NICs of one site.
EndpointSlots hyperx_slots(const FabricSpec& spec);

void check_hyperx(FabricCheck& check);
void add_hyperx_tiers(SiteTiers& site);
TopSwitches build_hyperx(NetworkAssembly& assembly);

}  // namespace clusterwright
