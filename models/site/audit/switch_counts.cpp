#include "models/site/audit/switch_counts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

long long switches_for(long long a, long long b) {
  return (a + b - 1) / b;
}

/// Leaves and spines of non-blocking planes, as many nodes under a leaf as it has ports for.
FabricSpec plane_fabric() {
  FabricSpec fabric;
  fabric.rails = RailLayout::planes;
  fabric.tiers = {{"leaf", 0, 1, ""}, {"spine", 0, 1, ""}};
  return fabric;
}

bool runs_at(const SwitchPart& part, BytesPerSecond rate) {
  constexpr double same = 1e-6;
  return part.port_rate && std::abs(part.port_rate->value / rate - 1) < same;
}

}  // namespace

long long SwitchCount::total() const {
  return std::accumulate(tiers.begin(), tiers.end(), 0LL);
}

std::string SwitchCount::words() const {
  if (tiers.size() == 1) return fmt::format("{}", tiers[0]);
  return fmt::format("{} = {}", fmt::join(tiers, " + "), total());
}

long long two_tier_limit(int ports) {
  return static_cast<long long>(ports) * ports / 2;
}

SwitchCount joined_switches(long long endpoints, int ports) {
  if (endpoints <= ports) return {{1}};
  const long long leaves = switches_for(endpoints, ports / 2);
  if (endpoints <= two_tier_limit(ports)) return {{leaves, switches_for(endpoints, ports)}};
  return {{leaves, leaves, switches_for(endpoints, ports)}};
}

SwitchCount plane_switches(const NetworkSize& size, int ports) {
  if (size.nodes > two_tier_limit(ports) || size.nics_per_node < 1) return {};
  const FabricPorts both{{ports, ports}, 0};
  const std::vector<FatTreeTier> tiers = fat_tree_shape(plane_fabric(), size, both);
  const long long leaves = switches_for(size.nodes, tiers[0].nodes);
  if (leaves == 1) return {{static_cast<long long>(tiers[0].rails)}};
  return {
      {tiers[0].rails * leaves * tiers[0].switches(), static_cast<long long>(tiers[1].rails) * tiers[1].switches()}};
}

const SwitchPart* switch_for(BytesPerSecond rate, const FabricSpec& fabric, const Catalog& catalog) {
  for (const TierSpec& tier : fabric.tiers)
    if (const SwitchPart* part = catalog.find_switch(tier.switch_part); part && runs_at(*part, rate)) return part;
  const SwitchPart* other = nullptr;
  for (const SwitchPart& part : catalog.switches) {
    if (!runs_at(part, rate)) continue;
    if (part.fabric.starts_with("InfiniBand") == (fabric.transport == Transport::infiniband)) return &part;
    if (!other) other = &part;
  }
  return other;
}

}  // namespace clusterwright
