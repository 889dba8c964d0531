// SPDX-License-Identifier: Apache-2.0
/// Nodes that failures separate from the others.
#pragma once

#include <vector>

#include "topology/routing/routed_network.hpp"

namespace clusterwright {

/// Nodes with a NIC, or the one that stands in for it, that does not reach the same NIC of most other nodes, ascending.
/// Where a network falls into parts of equal size, the nodes of the first part are the ones that stay.
///
/// Example: rail planes of 4 nodes, NIC 0 of node 2 fails. Its accelerator takes NIC 1, whose plane does not lead to
/// NIC 0 of the other nodes: node 2 is cut off.
std::vector<NodeId> cut_off_nodes(const RoutedNetwork& network);

}  // namespace clusterwright
