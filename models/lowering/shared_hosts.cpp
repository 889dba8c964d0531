// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/shared_hosts.hpp"

#include "models/lowering/interner.hpp"

namespace clusterwright {

namespace {

/// Accelerators below a switch whose uplink carries less than their slots together. Nodes that state no switches count
/// as having none.
int switch_width(const Cluster& cluster, int kind) {
  const PcieShape& pcie = cluster.groups[cluster.group_of_kind(kind)].links.wiring().pcie;
  const int width = cluster.node_of_kind(kind).pcie.accelerators_per_switch.value_or(0);
  if (width < 2 || pcie.accelerators % (width * pcie.sockets) != 0) return 0;
  return pcie.uplink < width * pcie.slot ? width : 0;
}

/// The same for all kinds of nodes; 0 where they differ.
int switch_width(const Scenario& s) {
  if (!s.job.offload.uses_host()) return 0;
  const int width = switch_width(s.cluster, 0);
  for (int kind = 1; kind < s.cluster.kinds(); ++kind)
    if (switch_width(s.cluster, kind) != width) return 0;
  return width;
}

}  // namespace

SharingWidths sharing_widths(const Scenario& s) {
  const Offload& offload = s.job.offload;
  bool memory = s.cluster.spec.node.host.memory_bandwidth.has_value();
  for (const MixedNodesSpec& also : s.cluster.spec.also) memory = memory || also.node.host.memory_bandwidth;
  const bool shares = s.job.input || (offload.any() && memory) || offload.uses(MemoryLevel::nvme);
  return {shares ? s.cluster.node_accelerators : 0, switch_width(s)};
}

SharedHosts::SharedHosts(const std::map<int, HostRanks>& hosts, std::size_t classes) : kind_of_(classes) {
  Interner<HostRanks> kinds;
  for (const auto& [host, ranks] : hosts) {
    const HostKindId kind(static_cast<std::size_t>(kinds.number(ranks)));
    if (kind.value == kinds_.size()) kinds_.push_back(ranks);
    for (const auto& [rank_class, number] : ranks) kind_of_[rank_class] = kind;
  }
}

}  // namespace clusterwright
