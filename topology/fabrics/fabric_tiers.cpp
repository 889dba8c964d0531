// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric_tiers.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

constexpr long long most_tier_accelerators = 1 << 30;
/// Relative difference below which an uplink counts as untapered.
constexpr double taper_rounding = 1e-9;

}  // namespace

FabricTiers::Shape FabricTiers::shape() const {
  Shape shape{{}, hop_latency_};
  for (const Tier& tier : tiers_) shape.tiers.push_back({tier.accelerators, tier.tapered, tier.turn_latency});
  return shape;
}

FabricTiers FabricTiers::distances() const {
  FabricTiers out = *this;
  for (Tier& tier : out.tiers_) tier.tapered = false;
  return out;
}

std::size_t FabricTiers::meeting_tier(AcceleratorId a, AcceleratorId b) const {
  std::size_t tier = 0;
  while (tier + 1 < tiers_.size() && group_of(a, tier) != group_of(b, tier)) ++tier;
  return tier;
}

Seconds FabricTiers::latency(AcceleratorId a, AcceleratorId b) const {
  return tiers_.empty() ? hop_latency_ : tiers_[meeting_tier(a, b)].turn_latency;
}

BytesPerSecond FabricTiers::arriving(std::size_t tier, int accelerators, BytesPerSecond per_accelerator) const {
  if (tier == 0) return accelerators * per_accelerator;
  const int below = tiers_[tier - 1].accelerators;
  const auto of_group = [&](int members) {
    return std::min(arriving(tier - 1, members, per_accelerator), tiers_[tier - 1].uplink_capacity);
  };
  const int whole_groups = accelerators / below;
  return whole_groups * of_group(below) + of_group(accelerators % below);
}

/// Smallest cut between the halves. Groups wholly in the lower half send, groups wholly in the upper half receive;
/// only the groups that the boundary passes through hold both. Along these, from the bottom up, the cut leaves a group
/// either with the senders, cutting what the receivers below it take, or with the receivers, cutting what the senders
/// below it send; where a group and its parent differ, the link between them is cut too.
BytesPerSecond FabricTiers::bisection(int accelerators, BytesPerSecond per_accelerator) const {
  const int boundary = accelerators / 2;
  int mixed_begin = boundary, mixed_end = boundary;  // group of the tier below that holds the boundary
  BytesPerSecond with_senders, with_receivers;       // smallest cut inside it, by the side that it is left with
  BytesPerSecond link;                               // from it upwards
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    const int size = tiers_[tier].accelerators;
    const int begin = boundary / size * size;
    const int end = std::min(begin + size, accelerators);
    const BytesPerSecond inner_senders = std::min(with_senders, with_receivers + link);
    const BytesPerSecond inner_receivers = std::min(with_receivers, with_senders + link);
    with_senders = inner_senders + arriving(tier, end - mixed_end, per_accelerator);
    with_receivers = inner_receivers + arriving(tier, mixed_begin - begin, per_accelerator);
    link = tiers_[tier].uplink_capacity;
    mixed_begin = begin;
    mixed_end = end;
  }
  return std::min(with_senders, with_receivers);
}

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
