// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/recipe_stamper.hpp"

namespace clusterwright {

RecipeStamper::RecipeStamper(OpWriter& ops, PassBook& book, const PlannedStep& step, StepLinks& links,
                             StepMeetings& meetings, const RankLanes& lanes, WorkId host_issue)
    : ops_(ops),
      book_(book),
      meetings_(meetings),
      lanes_(lanes),
      chains_(step, links, ops.rank_class()),
      host_issue_(host_issue),
      tensor_group_(step.classes.in_step(ops.rank_class()) ? ops.rank_class()
                                                           : step.groups.tensor_group(ops.rank_class())) {
  for (std::size_t kind = 0; kind < replica_group_count; ++kind)
    groups_[kind] = step.groups.replica_group(static_cast<ReplicaGroup>(kind), ops.rank_class());
  kind_.own_tensor = step.classes.in_step(ops.rank_class());
  std::vector<ChainId> chains;
  if (step.plan().tensor > 1 && kind_.own_tensor)
    for (const LayerCollective kind : pass_collectives) chains.push_back(chains_.of(kind));
  ops.join_passes({lanes.compute, lanes.tensor}, chains);
}

void RecipeStamper::stamp(const Recipe& recipe, int note) {
  if (recipe.empty()) return;
  make_room(note, note);
  row_.push_back({&recipe, nullptr, is_second(note), false});
}

void RecipeStamper::stamp_side_by_side(const Recipe& one, int one_note, const Recipe& other, int other_note) {
  make_room(one_note, other_note);
  row_.push_back({&one, &other, is_second(one_note), is_second(other_note)});
}

/// A row has at most two micro-batches.
void RecipeStamper::make_room(int one_note, int other_note) {
  const auto known = [&](int note) { return note == notes_.first || note == notes_.second; };
  const int unknown = (known(one_note) ? 0 : 1) + (known(other_note) || other_note == one_note ? 0 : 1);
  const int free = (notes_.first < 0 ? 1 : 0) + (notes_.second < 0 ? 1 : 0);
  if (unknown > free) write();
  for (const int note : {one_note, other_note})
    if (!known(note)) (notes_.first < 0 ? notes_.first : notes_.second) = note;
}

void RecipeStamper::write() {
  if (row_.empty()) return;
  const WrittenRow& row = book_.row(row_, kind_);
  const OpId entry = ops_.last_kernel();
  written_.clear();
  for (std::size_t i = 0; i < row.steps.size(); ++i) {
    const OpId id = write_step(row, i);
    write_dependencies(row.steps[i], id, entry, written_);
    written_.push_back(id);
  }
  kind_.tensor_runs = row.tensor_runs;
  row_.clear();
  notes_ = {};
}

OpId RecipeStamper::write_step(const WrittenRow& row, std::size_t step) {
  if (row.passes[step].exists()) return ops_.pass(row.passes[step], notes_);
  const StretchOp& single = row.ops[row.steps[step].first];
  const int note = single.second ? notes_.second : notes_.first;
  if (single.op->collective == LayerCollective::none) return ops_.kernel(single.op->work, single.op->charge, note);
  return single.op->collective == LayerCollective::host ? write_host(*single.op, note)
                                                        : write_collective(*single.op, note);
}

/// Order on lanes is implied.
void RecipeStamper::write_dependencies(const PassPlanStep& step, OpId id, OpId entry,
                                       const std::vector<OpId>& written) {
  if (step.after_entry && entry.exists()) ops_.depends(entry, id);
  for (const std::uint32_t before : step.after) ops_.depends(written[before], id);
}

OpId RecipeStamper::write_collective(const RecipeOp& op, int note) {
  const ChainId chain = chains_.of(op.collective);
  const ReplicaGroup kind = group_of(op.collective);
  const bool tensor = kind == ReplicaGroup::all;
  Meetings& meetings = tensor ? meetings_.tensor : meetings_.of(kind);
  const RankClassId group = tensor ? tensor_group_ : groups_[static_cast<std::size_t>(kind)];
  const LaneId lane = tensor ? lanes_.tensor : kind == ReplicaGroup::context ? lanes_.context : lanes_.experts;
  return ops_.communicate(lane, op.work, op.charge, meetings.join(group, ops_.rank_class(), chain), {}, note);
}

OpId RecipeStamper::write_host(const RecipeOp& op, int note) {
  const RankClassId rank = ops_.rank_class();
  return ops_.communicate(lanes_.issue, host_issue_, op.charge, meetings_.issue.join(rank, rank, op.issue), {}, note);
}

}  // namespace clusterwright
