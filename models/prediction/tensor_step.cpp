// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/tensor_step.hpp"

#include <algorithm>
#include <vector>

namespace clusterwright {

namespace {

/// What happened on the lanes of passes of one rank, in order.
struct RankHistory {
  struct Stretch {
    Picoseconds start, end;
    bool operator==(const Stretch&) const = default;
  };
  struct Change {
    Picoseconds at;
    OutsideLoad load;
    bool operator==(const Change&) const = default;
  };
  std::vector<Stretch> ops;
  std::vector<Change> changes;
  bool operator==(const RankHistory&) const = default;
};

IndexedVector<RankClassId, RankHistory> histories(const StepStructure& s, const ReplayResult& result) {
  IndexedVector<RankClassId, RankHistory> out(s.ranks.size());
  for (const OpId op : s.op_lane.ids()) {
    const RankClassId rank = s.lanes[s.op_lane[op]].rank;
    const auto& lanes = s.pass_lanes[rank];
    if (std::find(lanes.begin(), lanes.end(), s.op_lane[op]) != lanes.end())
      out[rank].ops.push_back({result.ops[op].start, result.ops[op].end});
  }
  for (const PassChange& change : result.pass_changes)
    out[s.lanes[s.op_lane[change.pass]].rank].changes.push_back({change.at, change.load});
  return out;
}

}  // namespace

bool stays_in_step(const StepStructure& structure, const ReplayResult& result, int tensor) {
  const auto ranks = histories(structure, result);
  for (const RankClassId rank : ranks.ids()) {
    const RankClassId first(rank.value - rank.value % static_cast<std::uint32_t>(tensor));
    if (ranks[rank] != ranks[first]) return false;
  }
  return true;
}

}  // namespace clusterwright
