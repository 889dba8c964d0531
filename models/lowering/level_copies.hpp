// SPDX-License-Identifier: Apache-2.0
/// Copies of one rank class between its device and the memory beyond it.
#pragma once

#include "models/lowering/level_links.hpp"
#include "models/lowering/meetings.hpp"
#include "models/lowering/rank_lanes.hpp"
#include "models/lowering/rank_ops.hpp"

namespace clusterwright {

/// Every function returns the op that it adds. `after` is the op that the new one waits for; it may not exist.
class LevelCopies {
 public:
  /// @param meetings  rendezvous of the rank with itself
  /// @param kernel    kernel of a copy
  LevelCopies(RankOps& ops, LevelLinks& links, Meetings& meetings, const RankLanes& lanes, WorkId kernel)
      : ops_(ops), links_(links), meetings_(meetings), out_(lanes.host_out), in_(lanes.host_in), kernel_(kernel) {}

  /// Copy from the device to `level` (`out`), or back.
  OpId copy(MemoryLevel level, bool out, Bytes payload, OpId after, StepCharge charge);
  /// Optimizer on the host, over states in `level`. @param traffic  bytes of states read and written
  OpId update(MemoryLevel level, Bytes traffic, OpId after);
  /// Copy from host memory to the drives of the host.
  OpId host_to_drives(Bytes payload, OpId after);

 private:
  OpId op(bool out, ChainId chain, OpId after, StepCharge charge);

  RankOps& ops_;
  LevelLinks& links_;
  Meetings& meetings_;
  LaneId out_, in_;
  WorkId kernel_;
};

}  // namespace clusterwright
