// SPDX-License-Identifier: Apache-2.0
/// HyperX: a grid of switches, each joined to every other switch of its row along every side.
///
/// Numbers: S switches and K parallel cables along each side, T NIC ports on a switch. A switch needs T + sum of (S -
/// 1) K ports. One side is a full mesh, sides of two are a hypercube.
///
/// Invariant: one cable corrects one coordinate. A shortest path has one cable for each coordinate that differs, so
/// with L sides no two switches are more than L cables, L + 1 switches, apart.
///
/// Example: 4 x 4 switches, K = 1, T = 4.
///   switches  16 of 4 + 3 + 3 = 10 ports; 64 NICs
///   cables    along each side 4 rows x (4 x 3 / 2) = 24; 48 in all
///   diameter  3 switches
///   halves    4 rows x (2 x 2) = 16 cables for the 32 NICs of one half: half of their rate
///
/// Counts saturate beyond any machine instead of overflowing.
///
/// @source J. Ahn, N. Binkert, A. Davis, M. McLaren, R. Schreiber, "HyperX: topology, routing, and packaging of
///         efficient large-scale networks", SC 2009
#pragma once

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// Product of the sides.
long long hyperx_switches(const HyperxSpec& grid);
/// Parallel cables between two switches along `axis`.
int hyperx_parallel(const HyperxSpec& grid, std::size_t axis);
/// Cables of one switch along `axis`.
long long hyperx_switch_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables along `axis` of the whole grid.
long long hyperx_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables between the lower and the upper half along `axis`. @pre the side is even
long long hyperx_half_cut(const HyperxSpec& grid, std::size_t axis);

/// Ports for NICs of one site.
EndpointSlots hyperx_slots(const FabricSpec& spec);

/// E0306 ports, E0308 sides and links, E0316 NIC ports.
void check_hyperx(FabricCheck& check);
/// Nested groups of one site, from the nodes up.
void add_hyperx_tiers(SiteTiers& site);
/// Switches and cables of all sites.
TopSwitches build_hyperx(NetworkAssembly& assembly);

}  // namespace clusterwright
