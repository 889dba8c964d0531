// SPDX-License-Identifier: Apache-2.0
/// Stamps recipes into the program of one rank class: as long rows, which become passes.
#pragma once

#include <array>
#include <vector>

#include "models/lowering/layer_chains.hpp"
#include "models/lowering/op_writer.hpp"
#include "models/lowering/pass_book.hpp"
#include "models/lowering/rank_lanes.hpp"
#include "models/lowering/step_meetings.hpp"

namespace clusterwright {

class RecipeStamper {
 public:
  /// @param host_issue  work of a host that issues kernels while the device waits
  RecipeStamper(OpWriter& ops, PassBook& book, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                const RankLanes& lanes, WorkId host_issue);

  /// @param note  micro-batch
  void stamp(const Recipe& recipe, int note);
  /// Two recipes by turns.
  void stamp_side_by_side(const Recipe& one, int one_note, const Recipe& other, int other_note);
  /// Ends the row: what was stamped so far goes into the graph.
  void write();

 private:
  void register_passes();
  void make_room(int one_note, int other_note);
  bool is_second(int note) const { return note != notes_.first; }
  OpId write_step(const WrittenRow& row, std::size_t step);
  void write_dependencies(const PassPlanStep& step, OpId id, OpId entry, const std::vector<OpId>& written);
  OpId write_collective(const RecipeOp& op, int note);
  OpId write_host(const RecipeOp& op, int note);

  OpWriter& ops_;
  PassBook& book_;
  StepMeetings& meetings_;
  const RankLanes& lanes_;
  LayerChains chains_;
  WorkId host_issue_;
  RankClassId tensor_group_;
  std::array<RankClassId, replica_group_count> groups_;  // by ReplicaGroup
  RowKind kind_;
  std::vector<RecipeUse> row_;
  StretchNotes notes_;
  std::vector<OpId> written_;  // by step of the row
};

}  // namespace clusterwright
