// SPDX-License-Identifier: Apache-2.0
/// Torus and mesh: every node is a router with two neighbours along each of one to three sides.
///
/// Node i of an X x Y x Z torus is at x = i mod X, y = floor(i / X) mod Y, z = floor(i / (X Y)). A torus closes each
/// row to a ring, a mesh leaves it open. A side of two has one cable, not two.
///
/// Invariant: one cable changes one coordinate by one. Dimension-order routing corrects x, then y, then z, the shorter
/// way round each ring, and both ways where they are equally long.
///
/// Example: 4 x 4 x 8 = 128 routers, wrapped.
///   cables    one for each router and side: 128 along x, y and z, 384 in all
///   diameter  1 + 4 / 2 + 4 / 2 + 8 / 2 = 9 switches
///   tiers     line: 4 routers, 4 x (2 along y + 2 along z) = 16 cables out; plane: 16 routers, 16 x 2 = 32
///   halves    along z: each of 4 x 4 rings is cut twice, 32 cables. Along x: 4 x 8 x 2 = 64. The longest side limits.
///
/// A NIC reaches its router at the rate of all links of the router, so only the torus itself limits.
///
/// @source W. Dally, C. Seitz, "The torus routing chip", Distributed Computing 1, 1986; S. Scott, G. Thorson, "The Cray
///         T3E network", Hot Interconnects 1996; N. Jouppi et al., "TPU v4: an optically reconfigurable supercomputer
///         for machine learning with hardware support for embeddings", ISCA 2023
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// @throws std::invalid_argument unless 1 to 3 sides of at least 1 multiply to `nodes`
void check_torus_sides(const TorusSpec& torus, int nodes);
/// Product of the sides; saturates beyond any machine.
long long torus_nodes(const TorusSpec& torus);

/// Cables of one ring or row along `axis`: one for each router; one less without wrap, or with two routers.
long long torus_row_cables(const TorusSpec& torus, std::size_t axis);
/// Cables along `axis` of the whole torus.
long long torus_cables(const TorusSpec& torus, std::size_t axis);
/// Cables of the router that has the most.
int most_router_links(const TorusSpec& torus);
/// Cables between the lower and the upper half along `axis`: two for each ring, one for each open row.
/// @pre the side is even
long long torus_half_cut(const TorusSpec& torus, std::size_t axis);

/// E0308 where the sides do not multiply to the nodes.
void check_torus(FabricCheck& check);
/// Nested groups of one site, from the nodes up.
void add_torus_tiers(SiteTiers& site);
/// Switches and cables of all sites.
TopSwitches build_torus(NetworkAssembly& assembly);

}  // namespace clusterwright
