// SPDX-License-Identifier: Apache-2.0
/// Sites: several places, each with a whole fabric of one kind; one link joins every pair of sites.
///
/// Every site has a border switch (one for each rail where rails never meet), to which the top switches of its fabric
/// are cabled. The border itself never limits: each of its cables inside the site can carry all that leaves the site.
///
/// Invariant: what leaves a site passes (sites - 1) links of the given rate, and no other cable of the site is slower
/// than all of them together. Sites have equally many nodes and the same shape.
///
/// Example: 4 sites, 100 Gbit/s and 5 ms between each pair, each site a fat tree of leaves and spines, 0.5 us for a
/// switch with its cable.
///   links     4 x 3 / 2 = 6; one site sends 3 x 100 Gbit/s at most
///   halves    sites 0, 1 against 2, 3: 2 x 2 = 4 links, 400 Gbit/s
///   latency   leaf, spine, border, border, spine, leaf: 6 x 0.5 us + 5 ms = 5.003 ms
/// Of the groups inside a site the tiers keep those that divide it; then come the site, the half (for an even number of
/// sites) and all sites.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// E0308 where the sites do not divide the nodes.
/// @return whether they do
bool check_sites(const FabricSpec& spec, const NetworkSize& all_nodes, std::vector<FabricError>& errors);
/// Puts the site and all sites on top of the tiers of one site.
void join_sites(SiteTiers& site);
/// Border switches and the links between them. @param tops  switches of each site that its border attaches to
void build_sites(NetworkAssembly& assembly, const TopSwitches& tops);

}  // namespace clusterwright
