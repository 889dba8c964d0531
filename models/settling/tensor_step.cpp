// SPDX-License-Identifier: Apache-2.0
#include "models/settling/tensor_step.hpp"

#include <cstdint>

namespace clusterwright {

namespace {

/// Digest of numbers in their order. 128 bits: that two different histories share one does not happen.
class Digest {
 public:
  void add(std::uint64_t number) {
    one_ = mixed(one_ ^ number);
    other_ = mixed(other_ + number * 0x9e3779b97f4a7c15);
  }
  void add(Picoseconds time) { add(static_cast<std::uint64_t>(time.count)); }
  bool operator==(const Digest&) const = default;

 private:
  /// Finaliser of SplitMix64.
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t one_ = 1, other_ = 2;
};

/// What happened on the lanes of passes of one rank, in order.
struct RankHistory {
  Digest ops, changes;
  bool operator==(const RankHistory&) const = default;
};

IndexedVector<LaneId, char> lanes_of_passes(const StepStructure& s) {
  IndexedVector<LaneId, char> out(s.lanes.size());
  for (const RankClassId rank : s.ranks.ids())
    for (const LaneId lane : s.pass_lanes[rank]) out[lane] = 1;
  return out;
}

IndexedVector<RankClassId, RankHistory> histories(const StepStructure& s, const ReplayResult& result) {
  IndexedVector<RankClassId, RankHistory> out(s.ranks.size());
  const IndexedVector<LaneId, char> counts = lanes_of_passes(s);
  for (const OpId op : s.op_lane.ids()) {
    if (counts[s.op_lane[op]] == 0) continue;
    Digest& ops = out[s.lanes[s.op_lane[op]].rank].ops;
    ops.add(result.ops[op].start);
    ops.add(result.ops[op].end);
  }
  for (const PassChange& change : result.pass_changes) {
    Digest& changes = out[s.lanes[s.op_lane[change.pass]].rank].changes;
    changes.add(change.at);
    changes.add(change.load);
  }
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
