/// Dragonfly+.
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

/// Ports for NICs of one site.
EndpointSlots dragonfly_plus_slots(const FabricSpec& spec);

void check_dragonfly_plus(FabricCheck& check);
void add_dragonfly_plus_tiers(SiteTiers& site);
TopSwitches build_dragonfly_plus(NetworkAssembly& assembly);

}  // namespace clusterwright
