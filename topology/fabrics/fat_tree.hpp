// SPDX-License-Identifier: Apache-2.0
/// Fat tree: leaves above the nodes, spines above the leaves, and so on up to a tier that joins everything.
///
/// Invariant: the cables up from a group carry what its nodes send, divided by the product of the tapers so far; and
/// the cables of a switch spread evenly, equally many to each switch above it. Any switch above that has the
/// destination below it is then as good as any other, so traffic may go up anywhere and comes down on the only way
/// there is.
///
/// Example: nodes with 8 NICs, rails joined, switches with 64 ports, no taper. A leaf has 32 ports down and 32 up, so a
/// leaf group is 32 nodes under 8 leaves, one for each rail.
///   128 nodes: 4 groups, 32 leaves, 32 x 32 = 1,024 cables up. A spine has all 64 ports down: 1,024 / 64 = 16 spines,
///              and each leaf has 32 / 16 = 2 cables to each of them.
///    96 nodes: 3 groups, 24 leaves, 768 cables up. 12 spines have the ports, but 12 does not divide the 32 cables of a
///              leaf; 16 does. 16 spines are built, as in the DGX SuperPOD of 3 scalable units.
/// The bisection without taper is half of what all NICs send: 128 x 8 / 2 = 512 NIC rates for the 128 nodes.
///
/// Routing: any of the equal ways up. D-mod-K takes the one that the destination's number gives, which keeps shift
/// permutations free of collisions; tests compare our routes with it.
///
/// @source C. Leiserson, "Fat-trees: universal networks for hardware-efficient supercomputing", IEEE Transactions on
///         Computers C-34, 1985; M. Al-Fares, A. Loukissas, A. Vahdat, "A scalable, commodity data center network
///         architecture", SIGCOMM 2008; E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift
///         permutations on real life fat trees", Technion CCIT report 776, 2010
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

/// One tier. All its groups are alike, except that the last one may have fewer nodes.
///
/// A group has `rails` sets of switches: one for each rail where rails are apart, else one for all rails. The switches
/// of a rail are `planes` x `per_plane`: switch s of the tier below, counted in its rail and group, has cables to plane
/// s * planes / (switches of that rail) only, equally many to each switch of the plane.
struct FatTreeTier {
  std::string name;
  int nodes = 0;  ///< below one full group
  int rails = 1;  ///< sets of switches: one for each rail where rails are apart, else 1
  int planes = 1;
  int per_plane = 1;
  int ports = 0;       ///< of the switch part; 0: not known, and one switch stands for a rail of the group
  int down_ports = 0;  ///< cables from below to one switch of a full group
  int uplinks = 0;     ///< cables up from one switch; 0 at the top
  BytesPerSecond uplink_rate;
  BytesPerSecond uplink_capacity;  ///< of a full group, one direction; zero at the top
  bool tapered = false;            ///< can carry less up than its nodes can send

  int switches() const { return planes * per_plane; }  ///< in one rail of a group
};

/// Tiers sized from the ports of their switches, nearest to the nodes first.
///
/// A switch with R ports and taper t has floor(R t / (1 + t)) down, the top tier all R; where a leaf's cables down and
/// up differ in rate, t counts rates. It takes as many up as its cables down need. A rail of a group has the fewest
/// switches that have the ports and that the cables from below spread over evenly. That is how vendors' reference
/// designs come to their counts. Where the switch is not known, the taper alone says what a group can send up.
/// A middle tier without a size has the groups of the least effort for the nodes that there are: a group is built
/// whole, even for one node.
/// @throws std::invalid_argument for what fat_tree_errors would report, or tiers that do not nest
std::vector<FatTreeTier> fat_tree_shape(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

/// The same where the tree joins all nodes of `size`; nothing where it does not, or cannot be built.
std::optional<std::vector<FatTreeTier>> joining_shape(const FabricSpec& spec, const NetworkSize& size,
                                                      const FabricPorts& ports);

/// Switches of a tree for so many nodes of one site.
long long fat_tree_switches(const std::vector<FatTreeTier>& tiers, int nodes);

/// Switches, and cables between them at a thirty-second of a switch each, roughly their price.
double fat_tree_effort(const std::vector<FatTreeTier>& tiers, int nodes);

/// Errors that keep the tree from being built: E0306, E0317, E0318. Tiers that do not nest are not reported here.
std::vector<FabricError> fat_tree_errors(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

/// E0319, and the errors of fat_tree_errors.
void check_fat_tree(FabricCheck& check);
/// Nested groups of one site, from the nodes up.
void add_fat_tree_tiers(SiteTiers& site);
/// Switches and cables of all sites.
TopSwitches build_fat_tree(NetworkAssembly& assembly);

}  // namespace clusterwright
