// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pcie_ports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

PciePorts::PciePorts(StepGraphBuilder& builder, const RankClasses& classes, const Cluster& cluster,
                     const SlotTraffic& traffic, bool copies)
    : classes_(classes), traffic_(traffic), meet_(copies || traffic.peers > BytesPerSecond{}) {
  const PcieShape& shape = cluster.links.wiring().pcie;
  const auto pair = [&](const std::string& owner, BytesPerSecond rate) {
    return Slot{builder.add_resource("to host of " + owner, rate), builder.add_resource("from host of " + owner, rate)};
  };
  const BytesPerSecond slot = std::max({traffic.copies, traffic.network, traffic.peers});
  for (const RankClassId c : classes.ids()) slots_.push_back(pair(fmt::format("class {}", c.value), slot));
  nics_behind_uplinks_ = shape.nic_attachment == NicAttachment::host_bridge;
  for (const HostKindId kind : classes.switches().kinds())
    uplinks_.push_back(pair(fmt::format("switch {}", kind.value), slot * (shape.uplink / shape.slot)));
}

StepGraphBuilder::LegUse PciePorts::slot(bool to_host, RankClassId c) const {
  return {to_host ? slots_[c].out : slots_[c].in, 1, 1.0};
}

void PciePorts::cross_uplink(Uses& uses, bool out, RankClassId c, double share) const {
  if (uplinks_.empty()) return;
  const SharedHosts& switches = classes_.switches();
  const Slot& uplink = uplinks_[switches.kind_of(c)];
  uses.push_back({out ? uplink.out : uplink.in, static_cast<std::uint32_t>(switches.ranks_of(c)), share});
}

void PciePorts::use_for_copy(Uses& uses, bool to_host, RankClassId c) const {
  uses.push_back(slot(to_host, c));
  cross_uplink(uses, to_host, c, 1);
}

void PciePorts::use(Uses& uses, bool out, RankClassId c, double network, double peers) const {
  if (traffic_.network <= BytesPerSecond{}) network = 0;
  if (traffic_.peers <= BytesPerSecond{}) peers = 0;
  const double share = std::max(network, peers);
  if (!meet_ || share == 0) return;
  uses.push_back({out ? slots_[c].out : slots_[c].in, 1, share});
  if (nics_behind_uplinks_ && network > 0) cross_uplink(uses, out, c, network);
}

}  // namespace clusterwright
