// SPDX-License-Identifier: Apache-2.0
/// Dragonfly+: groups of leaves and spines, every leaf joined to every spine of its group; groups joined by global
/// cables of their spines.
///
/// Numbers: p NIC ports and s cables up on a leaf; l cables down and h global cables on a spine; l leaves and s spines
/// in a group; g <= s h + 1 groups.
///
/// Invariant: as in a dragonfly, every pair of groups has equally many global cables, or one more. A leaf reaches every
/// global cable of its group over one spine, so a shortest path has at most four switches: leaf, spine, spine, leaf.
/// Against a dragonfly of equal ports, groups are larger (two levels instead of a full mesh) and need fewer local
/// cables.
///
/// Example: p = 8, l = 4, s = 2, h = 3, g = 4.
///   switches  4 x 4 = 16 leaves of 8 + 2 = 10 ports, 4 x 2 = 8 spines of 4 + 3 = 7 ports; 128 NICs
///   cables    4 x (4 x 2) = 32 local; 4 x 6 / 2 = 12 global: the 6 of a group are 2 to each of 3 others
///   halves    groups 0, 1 against 2, 3: 2 x 2 pairs of groups x 2 cables = 8
///
/// @source A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi, "Dragonfly+: low cost topology for
///         scaling datacenters", HiPINEB 2017
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// Ports for NICs of one site.
EndpointSlots dragonfly_plus_slots(const FabricSpec& spec);

/// E0306 ports, E0307 groups, E0316 NIC ports.
void check_dragonfly_plus(FabricCheck& check);
/// Nested groups of one site, from the nodes up.
void add_dragonfly_plus_tiers(SiteTiers& site);
/// Switches and cables of all sites.
TopSwitches build_dragonfly_plus(NetworkAssembly& assembly);

}  // namespace clusterwright
