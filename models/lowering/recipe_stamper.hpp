// SPDX-License-Identifier: Apache-2.0
/// Stamps recipes into the program of one rank class.
#pragma once

#include <array>
#include <vector>

#include "models/lowering/layer_chains.hpp"
#include "models/lowering/rank_lanes.hpp"
#include "models/lowering/rank_ops.hpp"
#include "models/lowering/step_meetings.hpp"

namespace clusterwright {

class RecipeStamper {
 public:
  /// @param host_issue  work of a host that issues kernels while the device waits
  RecipeStamper(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings, const RankLanes& lanes,
                WorkId host_issue);

  /// @param note  micro-batch
  void stamp(const Recipe& recipe, int note);
  /// Two recipes by turns: each runs up to and with its next collective, whose wait the other one's kernels hide.
  void stamp_side_by_side(const Recipe& one, int one_note, const Recipe& other, int other_note);

 private:
  /// A recipe on its way into the graph.
  struct Stamping {
    const Recipe& recipe;
    int note;
    OpId entry;  // last kernel in front
    std::vector<OpId>& ops;
    bool ended() const { return ops.size() == recipe.size(); }
  };
  Stamping start(const Recipe& recipe, int note, std::size_t which);
  void stamp_next(Stamping& stamping);
  void stamp_until_collective(Stamping& stamping);
  OpId stamp_collective(const RecipeOp& op, int note);
  OpId stamp_host(const RecipeOp& op, int note);

  RankOps& ops_;
  StepMeetings& meetings_;
  const RankLanes& lanes_;
  LayerChains chains_;
  WorkId host_issue_;
  RankClassId tensor_group_;
  std::array<RankClassId, replica_group_count> groups_;  // by ReplicaGroup
  std::array<std::vector<OpId>, 2> stamped_;
};

}  // namespace clusterwright
