// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/network_size.hpp"

#include <stdexcept>

#include "topology/parts/catalog.hpp"

namespace clusterwright {

FabricPorts fabric_ports(const FabricSpec& spec, const Catalog& catalog) {
  const auto ports_of = [&](const std::string& id) {
    const SwitchPart* part = id.empty() ? nullptr : catalog.find_switch(id);
    return part ? part->ports.value : 0;
  };
  FabricPorts ports;
  for (const TierSpec& tier : spec.tiers) ports.tiers.push_back(ports_of(tier.switch_part));
  ports.direct_switches = ports_of(spec.switch_part);
  return ports;
}

int site_count(const FabricSpec& spec) {
  return spec.sites ? spec.sites->count : 1;
}

NetworkSize site_size(const FabricSpec& spec, NetworkSize all) {
  if (all.nodes % site_count(spec) != 0) throw std::invalid_argument("the sites of a fabric must divide its nodes");
  all.nodes /= site_count(spec);
  return all;
}

BytesPerSecond switch_link_rate(const FabricSpec& spec, const NetworkSize& size) {
  return spec.link_rate.value_or(size.nic_rate);
}

}  // namespace clusterwright
