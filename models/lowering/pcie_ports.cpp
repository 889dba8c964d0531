// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pcie_ports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/nodes/nic_reach.hpp"

namespace clusterwright {

PciePorts::PciePorts(StepGraphBuilder& builder, const RankClasses& classes, const GroupTimings& timings,
                     const KindPrices& prices, bool copies)
    : classes_(classes), copies_(copies) {
  for (const RankClassId c : classes.ids())
    slots_.push_back(add_slot(builder, c, timings.of(c), prices.host_link(classes.kind(c))));
  for (const HostKindId kind : classes.switches().kinds()) {
    const RankClassId c = classes.switches().a_class_on(kind);
    const PcieShape& shape = timings.of(c).cluster().links.wiring().pcie;
    uplinks_.push_back(
        add_link(builder, fmt::format("switch {}", kind.value), slots_[c].rate * (shape.uplink / shape.slot)));
  }
}

PciePorts::Link PciePorts::add_link(StepGraphBuilder& builder, const std::string& owner, BytesPerSecond rate) const {
  return {builder.add_resource("to host of " + owner, rate), builder.add_resource("from host of " + owner, rate)};
}

PciePorts::Slot PciePorts::add_slot(StepGraphBuilder& builder, RankClassId c, const LinkTimings& timings,
                                    BytesPerSecond copies) const {
  const Cluster& cluster = timings.cluster();
  Slot slot;
  slot.rate = copies;
  slot.network = !nics_on_accelerators(cluster.spec.node) && timings.network() > BytesPerSecond{};
  slot.peers = cluster.scale_up_bandwidth <= BytesPerSecond{} && timings.inner() > BytesPerSecond{};
  if (slot.network) slot.rate = std::max(slot.rate, timings.network());
  if (slot.peers) slot.rate = std::max(slot.rate, timings.inner());
  slot.nics_behind_uplink = cluster.links.wiring().pcie.nic_attachment == NicAttachment::host_bridge;
  slot.link = add_link(builder, fmt::format("class {}", c.value), slot.rate);
  return slot;
}

StepGraphBuilder::LegUse PciePorts::slot(bool to_host, RankClassId c) const {
  return {slots_[c].of(to_host), 1, 1.0};
}

void PciePorts::cross_uplink(Uses& uses, bool out, RankClassId c, double share) const {
  if (uplinks_.empty()) return;
  const SharedHosts& switches = classes_.switches();
  const Link& uplink = uplinks_[switches.kind_of(c)];
  uses.push_back({out ? uplink.out : uplink.in, static_cast<std::uint32_t>(switches.ranks_of(c)), share});
}

void PciePorts::use_for_copy(Uses& uses, bool to_host, RankClassId c) const {
  uses.push_back(slot(to_host, c));
  cross_uplink(uses, to_host, c, 1);
}

void PciePorts::use(Uses& uses, bool out, RankClassId c, double network, double peers) const {
  const Slot& slot = slots_[c];
  if (!slot.network) network = 0;
  if (!slot.peers) peers = 0;
  const double share = std::max(network, peers);
  if (share == 0 || (!copies_ && !slot.peers)) return;  // nothing meets there
  uses.push_back({slot.of(out), 1, share});
  if (slot.nics_behind_uplink && network > 0) cross_uplink(uses, out, c, network);
}

}  // namespace clusterwright
