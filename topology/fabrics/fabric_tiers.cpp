// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/fabric_tiers.hpp"

#include <algorithm>

namespace clusterwright {

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

}  // namespace clusterwright
