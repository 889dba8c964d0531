// SPDX-License-Identifier: Apache-2.0
/// Links inside one node or scale-up domain: rates of a group of accelerators, of a pair, and of the way to the
/// network. All rates are of the data sheet, one direction; the models say what software reaches of them.
#pragma once

#include <vector>

#include "topology/nodes/node_wiring.hpp"
#include "topology/nodes/pcie_tree.hpp"

namespace clusterwright {

/// Accelerators of groups of one domain that run at once, each in rank order; the first group is the one that is asked
/// about.
using DomainPlaces = std::vector<std::vector<int>>;

/// A group of the first accelerators alone: {{0, 1, ..., members - 1}}.
DomainPlaces first_places(int members);

/// Accelerators are numbered within their node, or within their scale-up domain where that spans several nodes. A group
/// of n members is the first n of them where its places are not given. Where scale-up links join less than a group,
/// pairs inside one scale-up domain still use them, and PCI Express carries the others.
class NodeLinks {
 public:
  enum class LinkClass { switched, mesh, torus, pcie };

  NodeLinks() = default;
  explicit NodeLinks(NodeWiring wiring) : wiring_(std::move(wiring)), pcie_(wiring_.pcie) {}

  const NodeWiring& wiring() const { return wiring_; }
  /// Accelerators that a group may have: those of a node or of a scale-up domain, whichever is more.
  int reach() const;

  /// Whether groups of equal size are alike wherever they lie: scale-up links join the whole node or domain.
  bool alike_everywhere() const { return wiring_.domain >= reach(); }

  /// Links that join all members of a group.
  /// @throws std::invalid_argument here and below for members below 1 or beyond reach()
  LinkClass inner(const DomainPlaces& places) const;
  LinkClass inner(int members) const;

  /// Rate of one accelerator when all members pass data around rings.
  ///
  /// switched: all its scale-up links. mesh: its links to the other members, in as many rings. torus: see
  /// torus_ring_links. pcie: one ring in rank order over the PCI Express of the node, as slow as its busiest link under
  /// the rings of all groups. A group of one has no ring: the rate at which it can send at all.
  BytesPerSecond ring_bandwidth(const DomainPlaces& places) const;
  BytesPerSecond ring_bandwidth(int members) const;

  /// Hops of a message until it has reached all members: members - 1, except along the sides of a torus.
  int inner_steps(int members) const;

  /// Rate at which one accelerator sends to all others together, when every member does, evenly.
  BytesPerSecond exchange_bandwidth(const DomainPlaces& places) const;
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
  void check_places(const DomainPlaces& places) const;
  LinkClass scale_up() const;
  BytesPerSecond ring_over(LinkClass links, int members) const;
  BytesPerSecond exchange_over(LinkClass links, int members) const;
  BytesPerSecond hybrid_ring(const DomainPlaces& places) const;
  BytesPerSecond hybrid_exchange(const DomainPlaces& places) const;

  NodeWiring wiring_;
  PcieTree pcie_;
};

}  // namespace clusterwright
