// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/switch_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/fabrics/fat_tree.hpp"
#include "topology/parts/usual_price.hpp"

namespace clusterwright {

namespace {

std::string_view network_of(Transport transport) {
  switch (transport) {
    case Transport::infiniband:
      return "InfiniBand";
    case Transport::slingshot:
      return "Slingshot";
    case Transport::omni_path:
      return "Omni-Path";
    default:
      return "Ethernet";
  }
}

TreeStock stock_of(const SwitchPart& part, double taper) {
  return {part.id, part.ports.value, part.port_rate ? part.port_rate->value : BytesPerSecond{}, taper};
}

/// Dollars of the switches and cables of the tree that a switch grows to; nothing where it grows to none.
std::optional<double> price_of_tree(const FabricSpec& fabric, const TreeStock& stock, const SwitchPart& part,
                                    const NetworkSize& size, int domain_nodes) {
  const FabricSpec tree = grown_tree(fabric, stock, size, domain_nodes);
  if (tree.tiers.empty()) return {};
  const NetworkSize site = site_size(tree, size);
  const auto shape = fat_tree_shape(tree, site, grown_ports(tree, stock));
  return fat_tree_effort(shape, site.nodes) * usual_price_usd(part.price_usd).value_or(0);
}

}  // namespace

std::vector<const SwitchPart*> switches_for(Transport transport, BytesPerSecond rate, const Catalog& catalog) {
  constexpr double equal_rate = 1e-6;
  std::vector<const SwitchPart*> found;
  for (const SwitchPart& part : catalog.switches)
    if (part.port_rate && part.port_rate->value >= (1 - equal_rate) * rate && usual_price_usd(part.price_usd) &&
        part.fabric.starts_with(network_of(transport)))
      found.push_back(&part);
  const auto slower = [](const SwitchPart* a, const SwitchPart* b) {
    return a->port_rate->value < b->port_rate->value;
  };
  const auto slowest = std::ranges::min_element(found, slower);
  if (slowest == found.end()) return {};
  const BytesPerSecond least = (*slowest)->port_rate->value;
  std::erase_if(found, [&](const SwitchPart* part) { return part->port_rate->value > (1 + equal_rate) * least; });
  return found;
}

Transport usual_transport(const NodeSpec& node, const Catalog& catalog, Transport otherwise) {
  const NicPart* nic = catalog.find_nic(node.nic);
  return nic && !nic->transports.empty() ? nic->transports.front() : otherwise;
}

std::optional<TreeStock> tree_stock(const ClusterSpec& cluster, const Catalog& catalog, const NetworkSize& size,
                                    int domain_nodes) {
  const FabricSpec& fabric = cluster.fabric;
  if (!is_open_tree(fabric) || fabric.transport == Transport::none || size.nics_per_node == 0) return {};
  if (!fabric.switch_part.empty()) {
    const SwitchPart* stated = catalog.find_switch(fabric.switch_part);
    return stated ? std::optional(stock_of(*stated, fabric.taper)) : std::nullopt;
  }
  std::optional<TreeStock> best;
  double least = 0;
  for (const SwitchPart* part : switches_for(fabric.transport, size.nic_rate, catalog)) {
    const TreeStock stock = stock_of(*part, fabric.taper);
    const auto price = price_of_tree(fabric, stock, *part, size, domain_nodes);
    if (price && (!best || *price < least)) best = stock, least = *price;
  }
  return best;
}

std::string grown_tree_remark(const FabricSpec& grown, const TreeStock& stock, bool stated_switch) {
  std::string groups;
  for (std::size_t t = 0; t + 1 < grown.tiers.size(); ++t)
    groups +=
        fmt::format("{}{} below a {}", groups.empty() ? "" : ", ", grown.tiers[t].accelerators, grown.tiers[t].name);
  return fmt::format(
      "the fabric states no tiers: {} tier{} of {}{} {}{}; --explain shows them, fabric.tiers states others",
      grown.tiers.size(), grown.tiers.size() == 1 ? "" : "s", stock.switch_part,
      stated_switch ? "" : ", the cheapest switch for these NICs,", grown.tiers.size() == 1 ? "follows" : "follow",
      groups.empty() ? "" : " (" + groups + ")");
}

}  // namespace clusterwright
