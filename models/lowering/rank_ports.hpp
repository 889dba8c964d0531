// SPDX-License-Identifier: Apache-2.0
/// Ports of the rank classes and their tapered uplinks, as resources of a step graph.
#pragma once

#include <vector>

#include "models/kernels/collectives/collective_time.hpp"
#include "models/lowering/group_timings.hpp"
#include "models/lowering/pcie_ports.hpp"
#include "models/lowering/rank_classes.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class RankPorts {
 public:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// @param prices  of the kinds of nodes that `timings` is made from
  /// @param copies  whether the job copies between hosts and devices
  RankPorts(StepGraphBuilder& builder, const RankClasses& classes, const GroupTimings& timings,
            const KindPrices& prices, bool copies);

  /// Adds the ports of class `c` to the uses of a collective. A ring over several domains rotates over the NICs of its
  /// members in a domain: each NIC carries its share.
  void use(Uses& uses, RankClassId c, const CollectiveTiming& timing, int members_per_domain) const;
  /// Adds the port at one end of a message. @param near  inside a domain
  void use_sender(Uses& uses, RankClassId c, bool near) const;
  void use_receiver(Uses& uses, RankClassId c, bool near) const;
  /// Adds the tapered uplinks that `stream` of class `c` crosses. @param members  ranks that share the traffic
  void use_uplinks(Uses& uses, Stream stream, RankClassId c, const CollectiveTiming& timing, int members = 1) const;

  /// Resources of the uplinks of the rank classes.
  const IndexedVector<UplinkId, ResourceId>& uplinks() const { return uplinks_; }

  /// Slots of PCI Express.
  const PciePorts& pcie() const { return pcie_; }
  /// Way of class `c` to pooled memory, or back: the ports that it shares with collectives, and their rate.
  struct PoolPath {
    Uses uses;
    BytesPerSecond rate;  ///< zero over links of its own
  };
  PoolPath pool_path(PoolLink over, bool out, RankClassId c) const;

 private:
  struct Ports {
    ResourceId scale_up_out, scale_up_in, network_out, network_in;
  };
  ResourceId add_bundle(StepGraphBuilder& builder, const UplinkBundle& bundle) const;
  ResourceId add_link(StepGraphBuilder& builder, const UplinkBundle& bundle) const;
  Ports add_ports(StepGraphBuilder& builder, RankClassId c) const;

  const RankClasses& classes_;
  const GroupTimings& timings_;
  PciePorts pcie_;
  IndexedVector<RankClassId, Ports> ports_;
  IndexedVector<UplinkId, ResourceId> uplinks_;
};

}  // namespace clusterwright
