// SPDX-License-Identifier: Apache-2.0
/// Durations of the collectives and messages between rank classes, on nodes of one kind or several.
///
/// A group of several kinds has the slower of each link, and the slowest of the durations that the parameters of its
/// kinds give: a ring passes through every member, and a message through both ends.
#pragma once

#include <vector>

#include "models/lowering/kind_prices.hpp"
#include "models/lowering/rank_classes.hpp"

namespace clusterwright {

class GroupTimings {
 public:
  using Members = std::vector<RankClassId>;

  /// @pre both outlive it
  GroupTimings(const KindPrices& prices, const RankClasses& classes) : prices_(prices), classes_(classes) {}

  /// @param switches  latency of the switches on the longest hop
  /// @param members   classes of the group, in any order, at least one
  CollectiveTiming collective(CollectiveOp op, Bytes payload, const GroupShape& group, const StepLatency& switches,
                              const Members& members) const;
  /// Exchange of tokens with experts, as LinkTimings::expert_exchange.
  CollectiveTiming expert_exchange(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, const GroupShape& group,
                                   const StepLatency& switches, const Members& members) const;

  /// Links of the kind of nodes of a class.
  const LinkTimings& of(RankClassId c) const { return prices_.links(classes_.kind(c)); }
  /// The network, the number of accelerators and the blocks, which are the same for all kinds.
  const Cluster& cluster() const { return prices_.links(0).cluster(); }
  /// Rate that transfers reach over that of a data sheet, on the links of the fabric: the largest of the kinds, as the
  /// ports of the others limit them.
  double fabric_share() const;

 private:
  std::vector<int> kinds_of(const Members& members) const;
  template <class Time>
  CollectiveTiming slowest(const std::vector<int>& kinds, const GroupShape& group, const StepLatency& switches,
                           const Time& time) const;

  const KindPrices& prices_;
  const RankClasses& classes_;
};

}  // namespace clusterwright
