// SPDX-License-Identifier: Apache-2.0
/// Fat tree that dimensions itself: its tiers follow from the nodes, one kind of switch and a taper.
///
/// The tree has the fewest tiers whose top joins all nodes. Leaves without taper take as many nodes as their ports
/// allow, whole scale-up domains where those use at least half of the ports; larger groups are those of the least
/// effort (fat_tree.hpp). Only leaves taper. A tapered leaf has the nodes and cables up of the least effort, within the
/// taper: the cables up spread evenly only over a number of spines that divides them, so that a full leaf may cost
/// spines.
///
/// Example: switches of 64 ports, nodes with 8 NICs on 8 rails, no taper. A leaf has 32 ports down: 32 nodes. A second
/// tier joins the 8 rails of 64 / 8 = 8 groups, so 256 nodes; for 1,024 nodes a third one follows.
///
/// Example: 128 such nodes at taper 2. A full leaf has 42 down and 21 up: 4 groups, 32 leaves, 672 cables, for which 11
/// spines have the ports; the next number that divides 21 is 21. With 32 down and 16 up there are 32 leaves too, and
/// 512 cables fill 8 spines.
#pragma once

#include <string>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/fabrics/network_size.hpp"

namespace clusterwright {

/// Switch and taper of a tree.
struct TreeStock {
  std::string switch_part;
  int ports = 0;
  BytesPerSecond port_rate;  ///< one direction
  double taper = 1;          ///< most ports down over ports up of a leaf
};

/// Whether a fabric leaves its tiers to be dimensioned.
bool is_open_tree(const FabricSpec& fabric);

/// Fabric with the tiers of the smallest tree.
/// @param size          nodes of all sites
/// @param domain_nodes  nodes that scale-up links join
/// @return the fabric without tiers where no tree of at most 5 tiers joins the nodes
FabricSpec grown_tree(FabricSpec fabric, const TreeStock& stock, const NetworkSize& size, int domain_nodes);

/// Ports of the switches of a grown tree.
FabricPorts grown_ports(const FabricSpec& fabric, const TreeStock& stock);

}  // namespace clusterwright
