// SPDX-License-Identifier: Apache-2.0
/// Runs of ops (run_search.hpp) as they are replayed: one event for all ops of a run.
///
/// When a run begins, all its ops get the times that they will have if loads of the rank stay as they are. When loads
/// change, the run is planned anew from the op that is under way; what has ended keeps its times. Times, losses and
/// charges equal those of a replay op by op.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/lane_progress.hpp"
#include "sim/transfers.hpp"

namespace clusterwright::engine {

class OpRuns {
 public:
  OpRuns(PreparedStep& step, LaneProgress& lanes, const Transfers& transfers, Events& events, ReplayResult& result)
      : step_(step), lanes_(lanes), transfers_(transfers), events_(events), result_(result) {}

  /// Conditions under which ops form runs. Runs are kept while these stay the same.
  struct Ground {
    std::vector<char> reserving_works;  // by WorkId
    std::vector<char> free_chains;      // by ChainId
    bool memory_can_be_short = false;
    bool operator==(const Ground&) const = default;
  };
  void find(Ground ground);
  void reset();

  /// Number of ops that each op waits for when the step begins. An op that its run starts is never released by others.
  const IndexedVector<OpId, std::uint32_t>& predecessors() const { return predecessors_; }
  static bool starts(std::uint32_t waiting) { return waiting >= started_by_run; }

  bool begins_with(OpId op) const { return step_.op(op).next_in_run.exists(); }
  /// The first op of a run starts. Times follow when the instant is settled and loads are known.
  void begin(OpId op);
  bool under_way(LaneId lane) const { return runs_[lane].at.exists(); }
  /// Decides when the ops of a run end: it has just begun, or loads of the rank have changed.
  void plan(LaneId lane);
  /// The run ends. @return its last op
  OpId end(LaneId lane);

  /// Number of ops that have ended in runs.
  std::size_t ended() const { return ended_; }

 private:
  /// Added to what an op waits for that its run starts: nothing else ever releases it.
  static constexpr std::uint32_t started_by_run = 1u << 31;

  /// A run that is under way on a compute lane. The lane itself describes the op `at`.
  struct RunState {
    OpId at;    // first op that is not known to have ended; "none": no run
    OpId last;  // op of the plan
    ChargeId culprit;
    std::uint32_t left = 0;      // ops from `at` to `last`
    bool slowed = false;         // some of these ops are
    std::uint64_t reserved = 0;  // multiprocessors that others held when the run was planned
  };

  IndexedVector<OpId, char> allowed_ops() const;
  void detach(std::span<const OpId> run);
  std::uint32_t speed_of(WorkId work, const RunState& run);
  void plan_op(OpId op, RankClassId rank, RunState& run);
  void replan_current(LaneId lane);
  void end_op(LaneId lane);
  void charge_loss(LaneId lane);

  PreparedStep& step_;
  LaneProgress& lanes_;
  const Transfers& transfers_;
  Events& events_;
  ReplayResult& result_;
  std::optional<Ground> ground_;
  IndexedVector<OpId, std::uint32_t> predecessors_;
  IndexedVector<LaneId, RunState> runs_;
  std::size_t ended_ = 0;
};

}  // namespace clusterwright::engine
