/// Dragonfly.
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

/// Ports for NICs of one site.
EndpointSlots dragonfly_slots(const FabricSpec& spec);

void check_dragonfly(FabricCheck& check);
void add_dragonfly_tiers(SiteTiers& site);
TopSwitches build_dragonfly(NetworkAssembly& assembly);

}  // namespace clusterwright
