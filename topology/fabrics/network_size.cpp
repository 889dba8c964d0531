// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/network_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "topology/parts/catalog.hpp"

namespace clusterwright {

FabricPorts fabric_ports(const FabricSpec& spec, const Catalog& catalog) {
  const auto part_of = [&](const std::string& id) { return id.empty() ? nullptr : catalog.find_switch(id); };
  const auto ports_of = [](const SwitchPart* part) { return part ? part->ports.value : 0; };
  const auto rate_of = [](const SwitchPart* part) {
    return part && part->port_rate ? part->port_rate->value : BytesPerSecond{};
  };
  FabricPorts ports;
  for (const TierSpec& tier : spec.tiers) {
    ports.tiers.push_back(ports_of(part_of(tier.switch_part)));
    ports.tier_rates.push_back(rate_of(part_of(tier.switch_part)));
  }
  ports.direct_switches = ports_of(part_of(spec.switch_part));
  ports.direct_rate = rate_of(part_of(spec.switch_part));
  return ports;
}

Sourced<Seconds> hop_latency(const FabricSpec& spec, const Catalog& catalog) {
  if (spec.hop_latency.value > Seconds{} || spec.hop_latency.source != Sourced<Seconds>{}.source)
    return spec.hop_latency;
  constexpr Seconds fibre = 49 * nanosecond;  // 10 m at 4.9 ns/m
  const SwitchPart* slowest = nullptr;
  const auto consider = [&](const std::string& id) {
    const SwitchPart* part = id.empty() ? nullptr : catalog.find_switch(id);
    if (part && part->latency && (!slowest || part->latency->value > slowest->latency->value)) slowest = part;
  };
  for (const TierSpec& tier : spec.tiers) consider(tier.switch_part);
  consider(spec.switch_part);
  if (slowest)
    return {slowest->latency->value + fibre,
            fmt::format("derived: {:.3g} us of {} (configs/parts/switches.json) + 10 m of fibre at 4.9 ns/m",
                        slowest->latency->value.in(microsecond), slowest->id),
            false, 0};
  const bool infiniband = spec.transport == Transport::infiniband;
  const Seconds usual = infiniband ? 200 * nanosecond : 600 * nanosecond;
  return {usual + fibre,
          fmt::format("assumed: {:.1f} us of a {} switch + 10 m of fibre at 4.9 ns/m", usual.in(microsecond),
                      infiniband ? "QM9700" : "SN5600"),
          false, 0};
}

int site_count(const FabricSpec& spec) {
  return spec.sites ? spec.sites->count : 1;
}

NetworkSize site_size(const FabricSpec& spec, NetworkSize all) {
  if (all.nodes % site_count(spec) != 0) throw std::invalid_argument("the sites of a fabric must divide its nodes");
  all.nodes /= site_count(spec);
  return all;
}

BytesPerSecond least_rate(BytesPerSecond rate, std::initializer_list<BytesPerSecond> limits) {
  for (const BytesPerSecond limit : limits)
    if (limit > BytesPerSecond{}) rate = std::min(rate, limit);
  return rate;
}

BytesPerSecond switch_link_rate(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  return least_rate(spec.link_rate.value_or(size.nic_rate), {ports.direct_rate});
}

BytesPerSecond uplink_rate(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports,
                           std::size_t tier) {
  return least_rate(spec.link_rate.value_or(size.nic_rate), {ports.tier_rate(tier), ports.tier_rate(tier + 1)});
}

}  // namespace clusterwright
