// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/site_tiers.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

constexpr long long most_tier_accelerators = 1 << 30;
/// Relative difference below which an uplink counts as untapered.
constexpr double taper_rounding = 1e-9;

}  // namespace

void SiteTiers::add(std::string name, long long nodes, BytesPerSecond uplink, int switches) {
  FabricTiers::Tier tier;
  tier.name = std::move(name);
  tier.accelerators = static_cast<int>(std::min(most_tier_accelerators, nodes * size.accelerators_per_node));
  tier.uplink_capacity = uplink;
  tier.tapered = uplink < (1 - taper_rounding) * (tier.accelerators * size.per_accelerator());
  tier.turn_latency = switches * spec.hop_latency.value;
  tiers.push_back(std::move(tier));
}

void SiteTiers::add_switches(std::string name, long long switches, long long per_switch, double cables, int crossed) {
  const long long ends = switches * per_switch;
  if (ends % size.nics_per_node != 0) return;
  add(std::move(name), ends / size.nics_per_node, cables * link_rate(), crossed);
}

void SiteTiers::add_top(long long nodes, int crossed) {
  add("all", nodes, {}, crossed);
  tiers.back().tapered = false;
  to_border = crossed;
}

std::string grid_group(std::size_t axes) {
  static const char* const names[] = {"switch", "line", "plane", "cube"};
  return names[std::min<std::size_t>(axes, 3)];
}

std::size_t last_axis(const std::vector<int>& sides) {
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < sides.size(); ++axis)
    if (sides[axis] > 1) last = axis;
  return last;
}

}  // namespace clusterwright
