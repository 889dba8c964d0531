/// Torus.
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

/// @throws std::invalid_argument unless 1 to 3 sides of at least 1 multiply to `nodes`
void check_torus_sides(const TorusSpec& torus, int nodes);
/// Product of the sides; beyond any number of nodes it stays just there.
long long torus_nodes(const TorusSpec& torus);

/// Cables of one ring or row along `axis`: as many as routers, one less without wrap or with two routers.
long long torus_row_cables(const TorusSpec& torus, std::size_t axis);
/// Cables along `axis` of the whole torus.
long long torus_cables(const TorusSpec& torus, std::size_t axis);
/// Cables of the router that has the most.
int most_router_links(const TorusSpec& torus);
/// Cables between the lower and the upper half along `axis`, whose side is even: two for each ring, one for each row.
long long torus_half_cut(const TorusSpec& torus, std::size_t axis);

void check_torus(FabricCheck& check);
void add_torus_tiers(SiteTiers& site);
TopSwitches build_torus(NetworkAssembly& assembly);

}  // namespace clusterwright
