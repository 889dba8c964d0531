// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/group_spread.hpp"

#include <algorithm>

#include "models/plan/plan.hpp"

namespace clusterwright {

bool has_taper(const FabricTiers& fabric) {
  return std::any_of(fabric.tiers().begin(), fabric.tiers().end(), [](const auto& tier) { return tier.tapered; });
}

namespace {

/// Spread of a group over tapered tiers, seen from one of its ranks: members beside it, and hops of their ring that
/// leave its group of the tier. Loads alone do not tell: a ring is booked on its first member, where it leaves a leaf
/// as where it enters the next.
void add_spread(const std::vector<RankCoordinates>& members, const Placement& placement, const FabricTiers& fabric,
                const RankCoordinates& at, std::vector<int>& spread) {
  for (std::size_t tier = 0; tier + 1 < fabric.tiers().size(); ++tier) {
    if (!fabric.tiers()[tier].tapered) continue;
    const auto beside = [&](const RankCoordinates& other) {
      return fabric.group_of(placement.accelerator(other), tier) == fabric.group_of(placement.accelerator(at), tier);
    };
    int inside = 0, leaving = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      inside += beside(members[i]);
      leaving += beside(members[i]) && !beside(members[(i + 1) % members.size()]);
    }
    spread.push_back(inside);
    spread.push_back(leaving);
  }
}

/// Kinds of groups that only some of the replicas are in.
std::vector<ReplicaGroup> small_groups(const Plan& plan) {
  std::vector<ReplicaGroup> kinds;
  if (plan.context > 1) kinds.push_back(ReplicaGroup::context);
  if (plan.in_groups()) kinds.insert(kinds.end(), {ReplicaGroup::shard, ReplicaGroup::mirrors});
  return kinds;
}

}  // namespace

std::vector<int> group_spread(const Placement& placement, const FabricTiers& fabric, int replica, int together) {
  const Plan& plan = placement.plan();
  std::vector<int> spread;
  if (!has_taper(fabric)) return spread;
  std::vector<RankCoordinates> slices;
  for (int p = 0; p < plan.pipeline; ++p) {
    slices.clear();
    for (int t = 0; t < plan.tensor; t += together) slices.push_back({t, replica, p});
    for (const RankCoordinates& at : slices) {
      if (slices.size() > 1) add_spread(slices, placement, fabric, at, spread);
      for (const ReplicaGroup kind : small_groups(plan))
        add_spread(placement.members(kind, at), placement, fabric, at, spread);
    }
    if (plan.expert * plan.expert_tensor == 1) continue;
    for (int t = 0; t < plan.tensor; ++t)
      for (const auto kind : {ReplicaGroup::experts, ReplicaGroup::expert_tensor, ReplicaGroup::expert_replicas})
        add_spread(placement.members(kind, {t, replica, p}), placement, fabric, {t, replica, p}, spread);
  }
  return spread;
}

}  // namespace clusterwright
