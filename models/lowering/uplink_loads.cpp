// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/uplink_loads.hpp"

#include <utility>
#include <vector>

#include "models/lowering/rank_classes.hpp"

namespace clusterwright {

namespace {

/// Walks every pair of neighbours in the job and counts the tapered bundles that it crosses.
class LoadCounter {
 public:
  LoadCounter(const RankClasses& classes, const Placement& placement, const FabricTiers& fabric)
      : classes_(classes), placement_(placement), fabric_(fabric) {
    ranks_together_ = classes.tensor_ranks_together();
  }

  UplinkLoads count() {
    const Plan& plan = placement_.plan();
    for (int p = 0; p < plan.pipeline; ++p) {
      for (int t = 0; t < plan.tensor; t += ranks_together_)
        for (int d = 0; d < plan.gradient_ranks(); ++d) add_messages({t, d, p});
      for (const StreamGroup& group : stage_groups(placement_, p, ranks_together_)) add_group(group);
    }
    return std::move(loads_);
  }

 private:
  void add_messages(const RankCoordinates& from) {
    for (const StageMessage& message : stage_messages(placement_.plan(), from))
      cross(from, message.to, {message.stream, classes_.slice_of(from)}, loads_);
  }

  void add_group(const StreamGroup& group) {
    if (group.stream == Stream::experts) return add_exchange(group.members);
    const bool each = group.stream == Stream::expert_ring || group.stream == Stream::tensor_ring;
    add_ring(group, each ? 1 : ranks_together_);
  }

  /// @param alike  number of rings that run beside each other over the same domains
  void add_ring(const StreamGroup& group, int alike) {
    const std::vector<RankCoordinates>& members = group.members;
    const ClassStream key{group.stream, classes_.slice_of(members.front())};
    UplinkLoads ring;
    for (std::size_t i = 0; i < members.size(); ++i) cross(members[i], members[(i + 1) % members.size()], key, ring);
    for (const auto& [bundle, load] : ring) {
      StreamLoad& total = loads_[bundle][key];
      total.passes = load.at(key).count / ranks_together_;
      total.count += alike;
    }
  }

  /// Every member of a group of experts sends to all others. A part of the traffic that leaves its domain leaves the
  /// group of the tier.
  void add_exchange(const std::vector<RankCoordinates>& members) {
    const auto all = static_cast<double>(members.size());
    const double near = placement_.members_in_domain(ReplicaGroup::experts);
    for (std::size_t tier = 0; tier + 1 < fabric_.tiers().size(); ++tier) {
      if (!fabric_.tiers()[tier].tapered) continue;
      std::map<int, int> inside;
      for (const RankCoordinates& at : members) ++inside[fabric_.group_of(placement_.accelerator(at), tier)];
      for (const RankCoordinates& at : members) {
        const int group = fabric_.group_of(placement_.accelerator(at), tier);
        if (inside[group] == static_cast<int>(members.size())) continue;
        for (const bool up : {true, false}) {
          StreamLoad& load = loads_[{static_cast<int>(tier), group, up}][{Stream::experts, classes_.slice_of(at)}];
          load.passes = (all - inside[group]) / (all - near);
          ++load.count;
        }
      }
    }
  }

  void cross(const RankCoordinates& from, const RankCoordinates& to, ClassStream key, UplinkLoads& into) const {
    const AcceleratorId a = placement_.accelerator(from), b = placement_.accelerator(to);
    for (std::size_t tier = 0; tier + 1 < fabric_.tiers().size(); ++tier) {
      const int leaves = fabric_.group_of(a, tier);
      const int enters = fabric_.group_of(b, tier);
      if (!fabric_.tiers()[tier].tapered || leaves == enters) continue;
      into[{static_cast<int>(tier), leaves, true}][key].count += ranks_together_;
      into[{static_cast<int>(tier), enters, false}][key].count += ranks_together_;
    }
  }

  const RankClasses& classes_;
  const Placement& placement_;
  const FabricTiers& fabric_;
  int ranks_together_;
  UplinkLoads loads_;
};

}  // namespace

UplinkLoads uplink_loads(const RankClasses& classes, const Placement& placement, const FabricTiers& fabric) {
  return LoadCounter(classes, placement, fabric).count();
}

}  // namespace clusterwright
