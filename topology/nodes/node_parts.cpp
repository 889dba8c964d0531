// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

template <class T>
void inherit(std::optional<T>& own, const std::optional<T>& part) {
  if (!own) own = part;
}

template <class T>
void inherit(std::optional<T>& own, const std::optional<Sourced<T>>& part) {
  if (!own && part) own = part->value;
}

void inherit(std::string& own, const std::string& part) {
  if (own.empty()) own = part;
}

void inherit(PcieSpec& own, const PcieSpec& part) {
  inherit(own.accelerators_per_switch, part.accelerators_per_switch);
  inherit(own.sockets, part.sockets);
  inherit(own.link, part.link);
  inherit(own.uplink, part.uplink);
  inherit(own.between_sockets, part.between_sockets);
  inherit(own.nics, part.nics);
  inherit(own.nic_slot, part.nic_slot);
  inherit(own.peer_to_peer, part.peer_to_peer);
}

void inherit(HostSpec& own, const NodePart& part) {
  inherit(own.cores, part.cores);
  inherit(own.memory, part.host_memory);
  inherit(own.memory_bandwidth, part.host_memory_bandwidth);
  inherit(own.nvme, part.nvme);
  inherit(own.nvme_read, part.nvme_read);
  inherit(own.nvme_write, part.nvme_write);
}

bool given(const Sourced<Watts>& power) {
  return power.value > Watts{} || power.source != Sourced<Watts>{}.source;
}

}  // namespace

Sourced<Watts> host_power(const NodePart& part, const AcceleratorPart* accelerator) {
  if (part.host_power) return *part.host_power;
  if ((!part.typical_power && !part.max_power) || !accelerator || !part.accelerator_count)
    return {{}, fmt::format("the power of {} is not known and counted as 0", part.id), false};
  const Watts loaded = part.typical_power ? part.typical_power->value : loaded_share_of_rating * part.max_power->value;
  const int count = part.accelerator_count->value;
  const Watts each = accelerator_share_of_rating * accelerator->power.value;
  const std::string whole =
      part.typical_power ? "typical power" : fmt::format("{} of the rating", loaded_share_of_rating);
  const std::string source =
      fmt::format("derived: {} of {}, {:.0f} W, minus {} x {:.0f} W of accelerators at {} of theirs", whole, part.id,
                  loaded.in(watt), count, each.in(watt), accelerator_share_of_rating);
  return {std::max(Watts{}, loaded - count * each), source, false};
}

NodeSpec fill_in(NodeSpec node, const Catalog& catalog) {
  const NodePart* part = node.part.empty() ? nullptr : catalog.find_node(node.part);
  if (!part) return node;
  inherit(node.accelerator, part->accelerator_id);
  inherit(node.accelerators, part->accelerator_count);
  inherit(node.nic, part->nic_id);
  inherit(node.nics, part->nic_count);
  inherit(node.scale_up, part->scale_up);
  inherit(node.scale_up_domain, part->scale_up_domain);
  if (node.scale_up_torus.empty()) node.scale_up_torus = part->scale_up_torus;
  if (part->pcie) inherit(node.pcie, *part->pcie);
  inherit(node.host, *part);
  if (!given(node.host_power)) node.host_power = host_power(*part, catalog.find_accelerator(part->accelerator_id));
  return node;
}

}  // namespace clusterwright
