// SPDX-License-Identifier: Apache-2.0
/// PCI Express inside one node: accelerators and NICs under switches, switches under the host bridge of a socket.
#pragma once

#include <span>
#include <vector>

#include "topology/nodes/node_spec.hpp"

namespace clusterwright {

struct PcieShape {
  int accelerators = 1;
  int accelerators_per_switch = 0;  ///< 0: none has a switch
  int sockets = 1;                  ///< accelerators are dealt to them in equal blocks
  int nics = 0;
  NicAttachment nic_attachment = NicAttachment::pcie_switch;
  bool peer_to_peer = true;
  BytesPerSecond slot;             ///< rate of an accelerator's slot, one direction
  BytesPerSecond uplink;           ///< rate of a switch's uplink, one direction
  BytesPerSecond between_sockets;  ///< one direction of each pair; sockets are fully joined
  BytesPerSecond nic_rate;         ///< rate to the network, one direction; a NIC's own slot never limits
};

/// Distance between two accelerators over PCI Express, from near to far.
enum class PcieDistance { same, same_switch, same_socket, across_sockets };

/// Every link with a capacity in each direction. Root complexes and host memory do not limit.
class PcieTree {
 public:
  using Vertex = int;
  struct Flow {
    Vertex from = 0;
    Vertex to = 0;
    double amount = 1;
  };

  PcieTree() : PcieTree(PcieShape{}) {}
  explicit PcieTree(const PcieShape& shape);

  Vertex accelerator(int i) const { return i; }
  Vertex nic(int j) const { return shape_.accelerators + j; }

  /// NICs nearest to an accelerator: several where there are more than accelerators, else one that neighbours share.
  struct NicRange {
    int first = 0;
    int count = 0;
  };
  NicRange nics_of(int accelerator) const;

  /// Distance of two accelerators.
  PcieDistance distance(int a, int b) const;

  /// Rate of an amount of 1 when all flows run at rates in proportion to their amounts: the least capacity over load.
  /// Zero where a link without capacity is needed.
  /// @throws std::invalid_argument if no flow crosses a link
  BytesPerSecond rate(std::span<const Flow> flows) const;

 private:
  static constexpr Vertex none = -1;

  int socket_of(int accelerator) const;
  Vertex add(Vertex parent, BytesPerSecond capacity);
  void attach_nic(int nic);
  std::vector<Vertex> ancestors(Vertex v) const;
  std::vector<std::size_t> path(Vertex from, Vertex to) const;

  // Links: 2 v leads from v to its parent, 2 v + 1 back; then those between sockets, from s to t at s * sockets + t.
  std::size_t up(Vertex v) const { return 2 * static_cast<std::size_t>(v); }
  std::size_t down(Vertex v) const { return up(v) + 1; }
  std::size_t between(Vertex from_bridge, Vertex to_bridge) const;
  BytesPerSecond capacity(std::size_t link) const;

  PcieShape shape_;
  std::vector<Vertex> parent_;            // accelerators, NICs, bridges, switches
  std::vector<BytesPerSecond> capacity_;  // capacity of the link to the parent
  Vertex first_bridge_ = 0;
};

}  // namespace clusterwright
