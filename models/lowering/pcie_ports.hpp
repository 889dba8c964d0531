// SPDX-License-Identifier: Apache-2.0
/// PCI Express of the rank classes as resources of a step graph: slots of accelerators and uplinks of their switches.
///
/// Copies between host and device, traffic of NICs and, without scale-up links, traffic among the accelerators of a
/// node meet in the slot of each accelerator. Copies also meet in the uplink of a switch with several accelerators, as
/// does traffic of NICs on the host bridge.
#pragma once

#include <string>
#include <vector>

#include "models/lowering/group_timings.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class PciePorts {
 public:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// A slot carries as much as the fastest of its users reaches alone, an uplink the same share of its data sheet.
  /// @param prices  of the kinds of nodes that `timings` is made from
  /// @param copies  whether the job copies anything
  PciePorts(StepGraphBuilder& builder, const RankClasses& classes, const GroupTimings& timings,
            const KindPrices& prices, bool copies);

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
  struct Link {
    ResourceId out, in;
  };
  /// Slot of one accelerator, and what crosses it.
  struct Slot {
    Link link;
    BytesPerSecond rate;
    bool network = false;  ///< NICs are not part of the accelerator
    bool peers = false;    ///< no scale-up links
    bool nics_behind_uplink = false;
    ResourceId of(bool to_host) const { return to_host ? link.out : link.in; }
  };
  Slot add_slot(StepGraphBuilder& builder, RankClassId c, const LinkTimings& timings, BytesPerSecond copies) const;
  Link add_link(StepGraphBuilder& builder, const std::string& owner, BytesPerSecond rate) const;

  const RankClasses& classes_;
  bool copies_ = false;
  IndexedVector<RankClassId, Slot> slots_;
  IndexedVector<HostKindId, Link> uplinks_;  // by kind of switch; empty where none is shared
};

}  // namespace clusterwright
