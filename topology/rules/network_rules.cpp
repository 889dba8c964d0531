// SPDX-License-Identifier: Apache-2.0
#include "topology/rules/network_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace clusterwright {

namespace {

BytesPerSecond port_of(const SwitchPart& part) {
  return part.port_rate ? part.port_rate->value : BytesPerSecond{};
}

std::optional<Breach> foreign_nic(const NicInNetwork& s) {
  if (!s.nic || s.nic->transports.empty() || s.transport == Transport::none) return std::nullopt;
  const auto& known = s.nic->transports;
  if (std::find(known.begin(), known.end(), s.transport) != known.end()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Transport transport : known) names.push_back(enum_name(transport));
  return Breach{fmt::format("{}, {}", s.nic->id, fmt::join(names, ", ")), std::string(enum_name(s.transport))};
}

std::optional<Breach> foreign_switch(const SwitchInNetwork& s) {
  if (carries_transport(s.part, s.transport)) return std::nullopt;
  return Breach{fmt::format("{}, {}", s.part.id, s.part.fabric), std::string(enum_name(s.transport))};
}

std::optional<Breach> nic_above_port(const SwitchInNetwork& s) {
  if (port_of(s.part) <= BytesPerSecond{}) return std::nullopt;
  return above(s.nic, port_of(s.part));
}

std::optional<Breach> port_above_nic(const SwitchInNetwork& s) {
  if (s.nic <= BytesPerSecond{}) return std::nullopt;
  return above(port_of(s.part), s.nic);
}

std::optional<Breach> link_above_port(const SwitchInNetwork& s) {
  if (port_of(s.part) <= BytesPerSecond{}) return std::nullopt;
  return above(s.link, port_of(s.part));
}

/// Ports below that the next tier slows down.
std::optional<Breach> port_above_next(const SwitchInNetwork& s) {
  if (!s.above || port_of(*s.above) <= BytesPerSecond{} || port_of(s.part) <= BytesPerSecond{}) return std::nullopt;
  return above(std::min(s.wanted, port_of(s.part)), port_of(*s.above));
}

constexpr PartRule<NicInNetwork> nic_protocol_rules[] = {
    {{"protocol of NICs", "node.nic", "does not speak", "fabric.transport", "E0347",
      "name a NIC of this protocol, or the transport of the NIC (infiniband if not given)"},
     foreign_nic},
};

constexpr PartRule<SwitchInNetwork> switch_port_rules[] = {
    {{"protocol of switches", "fabric.tiers.*.switch", "does not carry", "fabric.transport", "E0347",
      "name a switch of this protocol, or the transport of the switch (infiniband if not given)"},
     foreign_switch},
    {{"NIC and switch port", "node.nic_rate_gbit_per_s", "is above the rate of a port,", "fabric.tiers.*.switch", "",
      "links between them run at the rate of the port"},
     nic_above_port},
    {{"switch port and NIC", "fabric.tiers.*.switch", "has ports faster than", "node.nic_rate_gbit_per_s", "",
      "links between them run at the rate of the NIC"},
     port_above_nic},
    {{"links and switch ports", "fabric.link_rate_gbit_per_s", "is above the rate of a port,", "fabric.tiers.*.switch",
      "", "links between switches run at the rate of the port"},
     link_above_port},
    {{"ports of two tiers", "fabric.tiers.*.switch", "has links faster than the ports of", "fabric.tiers.+.switch", "",
      "links between the tiers run at the slower rate"},
     port_above_next},
};

}  // namespace

std::span<const PartRule<NicInNetwork>> nic_network_rules() {
  return nic_protocol_rules;
}

std::span<const PartRule<SwitchInNetwork>> switch_network_rules() {
  return switch_port_rules;
}

bool carries_transport(const SwitchPart& part, Transport transport) {
  if (part.fabric.empty() || transport == Transport::none) return true;
  if (transport == Transport::infiniband) return part.fabric.starts_with("InfiniBand");
  return part.fabric.starts_with("Ethernet") || part.fabric.starts_with("Slingshot");
}

}  // namespace clusterwright
