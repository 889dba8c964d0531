/// Sites.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

/// E0308 where the sites do not divide the nodes. @return whether they do
bool check_sites(const FabricSpec& spec, const NetworkSize& all_nodes, std::vector<FabricError>& errors);
/// Keeps the tiers that divide a site, and puts the site on top of them, then all sites.
void join_sites(SiteTiers& site);
/// Joins the sites that the builder of a kind has built.
void build_sites(NetworkAssembly& assembly, const TopSwitches& tops);

}  // namespace clusterwright
