// SPDX-License-Identifier: Apache-2.0
/// Links inside one node or scale-up domain: rates of a group of accelerators, of a pair, and of the way to the
/// network. All rates are of the data sheet, one direction; the models say what software reaches of them.
#pragma once

#include "topology/nodes/node_wiring.hpp"
#include "topology/nodes/pcie_tree.hpp"

namespace clusterwright {

/// Accelerators are numbered within their node, or within their scale-up domain where that spans several nodes. A group
/// of n members is the first n of them. Where scale-up links join less than a group, pairs inside one scale-up
/// domain still use them, and PCI Express carries the others.
class NodeLinks {
 public:
  enum class LinkClass { switched, mesh, torus, pcie };

  NodeLinks() = default;
  explicit NodeLinks(NodeWiring wiring) : wiring_(std::move(wiring)), pcie_(wiring_.pcie) {}

  const NodeWiring& wiring() const { return wiring_; }
  /// Accelerators that a group may have: those of a node or of a scale-up domain, whichever is more.
  int reach() const;

  /// Links that join all members of a group.
  /// @throws std::invalid_argument here and below for members below 1 or beyond reach()
  LinkClass inner(int members) const;

  /// Rate of one accelerator when all members pass data around rings.
  ///
  /// switched: all its scale-up links. mesh: its links to the other members, in as many rings. torus: see
  /// torus_ring_links. pcie: one ring 0 -> 1 -> ... -> 0 over the PCI Express of the node, as slow as its busiest link.
  /// A group of one has no ring: the rate at which it can send at all.
  BytesPerSecond ring_bandwidth(int members) const;

  /// Hops of a message until it has reached all members: members - 1, except along the sides of a torus.
  int inner_steps(int members) const;

  /// Rate at which one accelerator sends to all others together, when every member does, evenly.
  BytesPerSecond exchange_bandwidth(int members) const;

  /// Rate between two accelerators when nothing else runs, on one path.
  /// @throws std::invalid_argument for a == b, or where no path leads from node to node of a domain
  BytesPerSecond pair_bandwidth(int a, int b) const;

  /// Distance of two accelerators of one node. @throws std::invalid_argument for others
  PcieDistance pcie_distance(int a, int b) const;

  /// Rate of one accelerator into the network when the first `members` of its node send at once: as slow as NICs,
  /// slots and, where NICs are not beside them, switch uplinks and the links between sockets allow. Zero without NICs.
  BytesPerSecond network_bandwidth(int members) const;

  /// The nearest NIC; the first one where an accelerator has several. @throws std::invalid_argument without NICs
  int nic_of(int accelerator) const;

 private:
  void check_members(int members) const;
  bool same_domain(int a, int b) const { return a / wiring_.domain == b / wiring_.domain; }
  BytesPerSecond hybrid_ring(int members) const;
  BytesPerSecond hybrid_exchange(int members) const;

  NodeWiring wiring_;
  PcieTree pcie_;
};

}  // namespace clusterwright
