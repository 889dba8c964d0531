// SPDX-License-Identifier: Apache-2.0
/// A step structure laid out for replays: one record per op that holds what an event touches together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright::engine {

/// Copy of what the structure says about an op, and two links that a replay sets.
struct OpState {
  LaneId lane;
  WorkId work;
  RendezvousId rendezvous;
  ChargeId charge;
  OpId next_in_lane;
  std::uint32_t successor_begin = 0;  // end of the successors of the op before
  OpId next_in_run;                   // "none" at the end of a run and outside runs
  OpId next_member;                   // circle of the members of a rendezvous, in order of arrival
};
static_assert(sizeof(OpState) == 32, "half a cache line");

/// Lanes of each rank class, in their order, side by side.
class LanesByRank {
 public:
  /// @param counts  whether a lane counts
  template <class Counts>
  LanesByRank(const StepStructure& structure, const Counts& counts);
  std::span<const LaneId> of(RankClassId rank) const {
    return std::span(lanes_).subspan(begin_[rank.value], begin_[rank.value + 1] - begin_[rank.value]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<LaneId> lanes_;
};

class PreparedStep {
 public:
  /// @param structure  must outlive the prepared step
  explicit PreparedStep(const StepStructure& structure);

  /// Sets when each host issues each op, and of a pass its first op: one op after the other, each for its launch time.
  /// Kept while launch times stay.
  void issue(const StepTiming& timing);
  /// Lets the host issue an op later than issue() said, until that is asked for again behind forget_issued().
  void issue_later(OpId op, Picoseconds by) { issued_[op] += by; }
  void forget_issued() { issued_.clear(); }

  const StepStructure& structure() const { return structure_; }
  std::size_t op_count() const { return predecessors_.size(); }
  OpState& op(OpId id) { return ops_[id]; }
  const OpState& op(OpId id) const { return ops_[id]; }
  Picoseconds issued(OpId id) const { return issued_[id]; }
  RankClassId rank_of(LaneId lane) const { return lane_ranks_[lane]; }
  RankClassId rank_of(OpId id) const { return lane_ranks_[ops_[id].lane]; }

  /// Calls `visit` with each op that waits for `id`: dependent ops first, then the next one on the lane.
  template <class Visit>
  void for_each_successor(OpId id, Visit visit) const {
    const std::uint32_t end = ops_[OpId(id.value + 1)].successor_begin;
    for (std::uint32_t i = ops_[id].successor_begin; i < end; ++i) visit(structure_.successor[i]);
    if (ops_[id].next_in_lane.exists()) visit(ops_[id].next_in_lane);
  }

  /// Number of ops that each op waits for: dependencies, and the one before on the lane.
  const IndexedVector<OpId, std::uint32_t>& predecessors() const { return predecessors_; }
  const std::vector<OpId>& first_ops() const { return first_ops_; }  ///< ops without predecessors
  std::span<const LaneId> lanes_of(RankClassId rank) const { return lanes_of_.of(rank); }
  /// Lanes on which ops compute or copy.
  std::span<const LaneId> compute_lanes_of(RankClassId rank) const { return compute_lanes_of_.of(rank); }

 private:
  void prepare_ops();

  const StepStructure& structure_;
  IndexedVector<OpId, OpState> ops_;  // and one more, for the end of the last op's successors
  IndexedVector<OpId, std::uint32_t> predecessors_;
  std::vector<OpId> first_ops_;
  IndexedVector<LaneId, RankClassId> lane_ranks_;
  LanesByRank lanes_of_;
  LanesByRank compute_lanes_of_;
  std::vector<Picoseconds> launches_;  // by WorkId: launch times that issued_ was made of
  IndexedVector<OpId, Picoseconds> issued_;
};

}  // namespace clusterwright::engine
