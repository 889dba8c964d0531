// SPDX-License-Identifier: Apache-2.0
/// Dragonfly: groups of switches, every switch of a group joined to every other; groups joined by global cables.
///
/// Numbers: p NIC ports, a - 1 local and h global cables on each switch, a switches in a group, g <= a h + 1 groups.
/// Kim's balance a = 2 p = 2 h lets each kind of cable carry all that the NICs send under uniform traffic.
///
/// Invariant: every pair of groups has equally many global cables, or one more (GlobalLinks). A shortest path is
/// therefore at most local, global, local: four switches, of which the first and the last have the NICs.
///
/// Example: p = 2, a = 4, h = 2, g = 9, which is the largest: a h + 1 = 9.
///   switches  9 x 4 = 36, of 2 + 3 + 2 = 7 ports each; 72 NICs
///   cables    9 x (4 x 3 / 2) = 54 local; 9 x 8 / 2 = 36 global, one for each of the 36 pairs of groups
///   tiers     a switch sends 3 local + 8 / 4 global = 5 cables' worth out; a group 8 cables for its 8 NICs
/// Uniform traffic crosses at full rate. Traffic from each group to the next alone has 8 NICs on one cable: an eighth
/// of the rate. Valiant's detours by a random third group spread it over the 7 other cables, at most two global hops
/// each.
///
/// @source J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008;
///         L. Valiant, G. Brebner, "Universal schemes for parallel communication", STOC 1981
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// Ports for NICs of one site.
EndpointSlots dragonfly_slots(const FabricSpec& spec);

/// E0306 ports, E0307 groups, E0316 NIC ports.
void check_dragonfly(FabricCheck& check);
/// Nested groups of one site, from the nodes up.
void add_dragonfly_tiers(SiteTiers& site);
/// Switches and cables of all sites.
TopSwitches build_dragonfly(NetworkAssembly& assembly);

}  // namespace clusterwright
