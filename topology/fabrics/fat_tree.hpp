/// How many switches and cables a fat tree takes: the arithmetic, without a graph.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/fabrics/site_tiers.hpp"

namespace clusterwright {

/// One tier; all its groups are alike, but for a last one that has fewer nodes.
///
/// A group has `lines` sets of switches: one for each rail where rails are apart, else one for all. The switches of a
/// line are `planes` x `per_plane`: switch s of the tier below (counted in its line and group) has cables to plane
/// s * planes / (switches of that line) only, equally many to each of the plane's switches.
struct FatTreeTier {
  std::string name;
  int nodes = 0;  ///< below one full group
  int lines = 1;
  int planes = 1;
  int per_plane = 1;
  int ports = 0;       ///< of the switch part; 0: not known, and one switch stands for a line of the group
  int down_ports = 0;  ///< cables from below to one switch of a full group
  int uplinks = 0;     ///< cables up from one switch; 0 at the top
  BytesPerSecond uplink_rate;
  BytesPerSecond uplink_capacity;  ///< of a full group, one direction; zero at the top
  bool tapered = false;            ///< can carry less up than its nodes can send

  int switches() const { return planes * per_plane; }  ///< of one line of a group
};

/// Sizes the tiers from the ports of their switches, nearest to the nodes first.
///
/// A switch with R ports and taper t has floor(R t / (1 + t)) down, the top tier all R; where a leaf's cables down and
/// up differ in rate, t counts rates. It takes as many up as its cables down need. A line of a group has the fewest
/// switches that have the ports and that the cables from below spread over evenly. That is how vendors' reference
/// designs come to their counts. Where the switch is not known, the taper alone says what a group can send up.
/// @throws std::invalid_argument for what fat_tree_errors would report, or tiers that do not nest
std::vector<FatTreeTier> fat_tree_shape(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

/// What keeps the tree from being built: E0306, E0317, E0318. Tiers that do not nest are not reported here.
std::vector<FabricError> fat_tree_errors(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

void check_fat_tree(FabricCheck& check);
void add_fat_tree_tiers(SiteTiers& site);
TopSwitches build_fat_tree(NetworkAssembly& assembly);

}  // namespace clusterwright
