// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/group_timings.hpp"

#include <algorithm>

namespace clusterwright {

std::vector<int> GroupTimings::kinds_of(const Members& members) const {
  std::vector<int> kinds;
  for (const RankClassId c : members) kinds.push_back(classes_.kind(c));
  std::ranges::sort(kinds);
  const auto [first, last] = std::ranges::unique(kinds);
  kinds.erase(first, last);
  return kinds;
}

template <class Time>
CollectiveTiming GroupTimings::slowest(const std::vector<int>& kinds, const GroupShape& group,
                                       const StepLatency& switches, const Time& time) const {
  GroupLinks links = prices_.links(kinds.front()).links(group, switches);
  for (const int kind : kinds) links = slower_links(links, prices_.links(kind).links(group, switches));
  CollectiveTiming out = time(prices_.links(kinds.front()), links);
  for (const int kind : kinds)
    if (const CollectiveTiming other = time(prices_.links(kind), links); other.time() > out.time()) out = other;
  return out;
}

CollectiveTiming GroupTimings::collective(CollectiveOp op, Bytes payload, const GroupShape& group,
                                          const StepLatency& switches, const Members& members) const {
  const std::vector<int> kinds = prices_.kinds() == 1 ? std::vector<int>{} : kinds_of(members);
  if (kinds.size() < 2) return of(members.front()).collective(op, payload, group, switches);
  return slowest(kinds, group, switches, [&](const LinkTimings& kind, const GroupLinks& links) {
    return kind.collective(op, payload, group, links);
  });
}

CollectiveTiming GroupTimings::expert_exchange(const ExpertWork& work, ExpertTransfer transfer, Bytes copy,
                                               const GroupShape& group, const StepLatency& switches,
                                               const Members& members) const {
  const std::vector<int> kinds = prices_.kinds() == 1 ? std::vector<int>{} : kinds_of(members);
  if (kinds.size() < 2) return of(members.front()).expert_exchange(work, transfer, copy, group, switches);
  return slowest(kinds, group, switches, [&](const LinkTimings& kind, const GroupLinks& links) {
    return kind.expert_exchange(work, transfer, copy, group, links);
  });
}

double GroupTimings::fabric_share() const {
  double largest = 0;
  for (int kind = 0; kind < prices_.kinds(); ++kind) largest = std::max(largest, prices_.links(kind).fabric_share());
  return largest;
}

}  // namespace clusterwright
