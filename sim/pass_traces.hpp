// SPDX-License-Identifier: Apache-2.0
/// Ops inside the passes of a replayed step, played again where somebody asks for them.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/pass_times.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

/// Ops of one pass, by their place in it.
struct PassTrace {
  std::span<const engine::PassPlayer::OpTimes> ops;
  Picoseconds from;     ///< to be added to their times
  bool shared = false;  ///< `ops` are those of many passes, and stay as long as the PassTraces; else until the next one
};

class PassTraces {
 public:
  /// @param structure, timing, result  must outlive it; `structure` is what `result` describes
  PassTraces(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result);

  /// @pre `op` is a pass
  PassTrace of(OpId op);

 private:
  using Played = std::vector<engine::PassPlayer::OpTimes>;

  void issue();
  std::span<const PassChange> changes_of(OpId pass) const;
  const Played& steady(PassId pass, RankClassId rank, const OutsideLoad& load);
  void play(OpId op, std::span<const PassChange> changes, Played& out);
  void append_steady(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment, Picoseconds from,
                     Played& out);
  void append(PassId pass, std::size_t segment, const engine::PassPlayer& player, Played& out) const;

  const StepStructure& structure_;
  const StepTiming& timing_;
  const ReplayResult& result_;
  engine::WorkTimes works_;
  engine::PassTimes times_;
  IndexedVector<OpId, Picoseconds> host_;  // of passes: when the host began to issue them
  std::vector<PassChange> changes_;        // by pass, then time
  /// Ranks of a variant share the times of collectives. Beside a constant load, with a host that is ahead.
  std::map<std::pair<const void*, PassId>, std::vector<std::pair<OutsideLoad, Played>>> steady_;
  Played played_;
};

}  // namespace clusterwright
