// SPDX-License-Identifier: Apache-2.0
/// Nodes of a cluster that are alike, with their parts looked up.
#pragma once

#include "topology/nodes/nic_reach.hpp"
#include "topology/nodes/node_id.hpp"
#include "topology/nodes/node_links.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct NodeGroup {
  AcceleratorPart accelerator;
  NodeId first_node{0};
  int kind = 0;  ///< groups whose nodes are described alike are of one kind; kinds are numbered as they first occur
  int nodes = 1;
  int node_accelerators = 8;          ///< number in one node
  int nics = 8;                       ///< number in one node
  BytesPerSecond nic_bandwidth;       ///< rate that one NIC reaches, one direction: `nic_reach.rate()`
  NicReach nic_reach;                 ///< what limits it
  BytesPerSecond scale_up_bandwidth;  ///< one accelerator, one direction; zero without scale-up links
  /// Accelerators of one inner domain: a node, or the whole nodes that scale-up links join to one machine.
  int domain = 8;
  bool switch_reduction = false;  ///< switches that join the whole domain can reduce
  Sourced<Watts> host_power;      ///< power of one node without accelerators, under load
  NodeLinks links;

  bool has(NodeId node) const { return node.exists() && node >= first_node && node - first_node < nodes; }
  IdRange<NodeId> node_ids() const { return {first_node.value, (first_node + nodes).value}; }
  int accelerators() const { return nodes * node_accelerators; }
};

/// @param node          filled in from its part, with names that the catalog has
/// @param accelerators  of the whole group; a multiple of those of a node
/// @param port          rate of the switch ports that NICs plug into; zero if not known
NodeGroup make_node_group(const NodeSpec& node, const Catalog& catalog, NodeId first_node, int accelerators,
                          BytesPerSecond port = {});

}  // namespace clusterwright
