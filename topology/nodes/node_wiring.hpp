// SPDX-License-Identifier: Apache-2.0
/// Wiring of a node with nothing left open: NodeSpec, accelerator and defaults together.
#pragma once

#include <string_view>
#include <vector>

#include "topology/nodes/pcie_tree.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

inline constexpr int usual_accelerators_per_node = 8;
inline constexpr int usual_nics_per_node = 8;
inline constexpr int usual_accelerators_per_pcie_switch = 2;
inline constexpr int usual_sockets = 2;
/// Bandwidth that NCCL 2.30.7 assumes between two Sapphire Rapids sockets (src/graph/topo.h), one direction.
inline constexpr double usual_gigabytes_per_second_between_sockets = 22;

struct NodeWiring {
  int domain = 1;  ///< accelerators that scale-up links join; may be several nodes, or a part of one
  ScaleUpWiring scale_up = ScaleUpWiring::none;
  BytesPerSecond scale_up_rate;  ///< rate of one accelerator, one direction
  BytesPerSecond peer_rate;      ///< rate to one neighbour of a mesh or torus, one direction
  std::vector<int> torus;        ///< sides, whose product is `domain`; empty unless the wiring is one
  PcieShape pcie;                ///< PCI Express of one node
};

int node_accelerators(const NodeSpec& node);
int node_nics(const NodeSpec& node);

/// Data-sheet rate of one NIC, one direction: the node's own, else the part's; zero without NICs.
BytesPerSecond nic_rate(const NodeSpec& node, const Catalog& catalog);

/// Rate of the slot of one accelerator, one direction: the node's, at most that of the accelerator's host link; zero
/// where neither is known.
BytesPerSecond accelerator_slot(const NodeSpec& node, const AcceleratorPart& accelerator);

/// @param node  filled in from its part (fill_in of node_parts.hpp)
NodeWiring wire_node(const NodeSpec& node, const AcceleratorPart& accelerator, BytesPerSecond nic_rate);

}  // namespace clusterwright
