// SPDX-License-Identifier: Apache-2.0
/// PCI Express of the rank classes as resources of a step graph: slots of accelerators and uplinks of their switches.
///
/// Copies between host and device, traffic of NICs and, without scale-up links, traffic among the accelerators of a
/// node meet in the slot of each accelerator. Copies also meet in the uplink of a switch with several accelerators, as
/// does traffic of NICs on the host bridge.
#pragma once

#include <vector>

#include "models/lowering/rank_classes.hpp"
#include "sim/step_graph_builder.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Rates that those who use a slot reach alone, one direction of one accelerator.
struct SlotTraffic {
  BytesPerSecond copies;   ///< between host and device
  BytesPerSecond network;  ///< rate of its NICs; zero where they are ports of the accelerator, or without NICs
  BytesPerSecond peers;    ///< rate among the accelerators of a node; zero over scale-up links
};
class PciePorts {
 public:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// A slot carries as much as the fastest of its users reaches alone, an uplink the same share of its data sheet.
  /// @param copies  whether the job copies anything
  PciePorts(StepGraphBuilder& builder, const RankClasses& classes, const Cluster& cluster, const SlotTraffic& traffic,
            bool copies);

  /// Link of class `c` to its host, or back, without what it shares with others.
  StepGraphBuilder::LegUse slot(bool to_host, RankClassId c) const;
  /// Adds what a copy of class `c` crosses.
  void use_for_copy(Uses& uses, bool to_host, RankClassId c) const;
  /// Adds what a collective or message crosses, one direction. A rank of a ring sends to its NIC or to a peer: its slot
  /// carries the larger share.
  /// @param network, peers  bytes of its NICs, and with accelerators of its node, per byte of progress
  void use(Uses& uses, bool out, RankClassId c, double network, double peers) const;

 private:
  void cross_uplink(Uses& uses, bool out, RankClassId c, double share) const;

  struct Slot {
    ResourceId out, in;
  };
  const RankClasses& classes_;
  SlotTraffic traffic_;
  bool meet_ = false;  ///< traffic of several kinds can be in a slot
  bool nics_behind_uplinks_ = false;
  IndexedVector<RankClassId, Slot> slots_;
  IndexedVector<HostKindId, Slot> uplinks_;  // by kind of switch; empty where none is shared
};

}  // namespace clusterwright
