// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/recipe_stamper.hpp"

namespace clusterwright {

RecipeStamper::RecipeStamper(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                             const RankLanes& lanes, WorkId host_issue)
    : ops_(ops),
      meetings_(meetings),
      lanes_(lanes),
      chains_(step, links, ops.rank_class()),
      host_issue_(host_issue),
      tensor_group_(step.groups.tensor_group(ops.rank_class())) {
  for (std::size_t kind = 0; kind < replica_group_count; ++kind)
    groups_[kind] = step.groups.replica_group(static_cast<ReplicaGroup>(kind), ops.rank_class());
}

OpId RecipeStamper::stamp_collective(const RecipeOp& op, int note) {
  const ChainId chain = chains_.of(op.collective);
  const ReplicaGroup kind = group_of(op.collective);
  const bool tensor = kind == ReplicaGroup::all;
  Meetings& meetings = tensor ? meetings_.tensor : meetings_.of(kind);
  const RankClassId group = tensor ? tensor_group_ : groups_[static_cast<std::size_t>(kind)];
  const LaneId lane = tensor ? lanes_.tensor : kind == ReplicaGroup::context ? lanes_.context : lanes_.experts;
  return ops_.communicate(lane, op.work, op.charge, meetings.join(group, ops_.rank_class(), chain), {}, note);
}

OpId RecipeStamper::stamp_host(const RecipeOp& op, int note) {
  const RankClassId rank = ops_.rank_class();
  return ops_.communicate(lanes_.issue, host_issue_, op.charge,
                          meetings_.issue.join(rank, rank, chains_.host(op.host_time)), {}, note);
}

void RecipeStamper::stamp_next(Stamping& s) {
  const RecipeOp& op = s.recipe[s.ops.size()];
  if (op.collective == LayerCollective::none) {
    s.ops.push_back(ops_.kernel(op.work, op.charge, s.note));
  } else if (op.collective == LayerCollective::host) {
    s.ops.push_back(stamp_host(op, s.note));
  } else {
    s.ops.push_back(stamp_collective(op, s.note));
    // A collective that waits for no op of its own recipe could start any time, and does with the layer.
    if (op.after < 0 && s.entry.exists()) ops_.depends(s.entry, s.ops.back());
  }
  if (op.after >= 0) ops_.depends(s.ops[static_cast<std::size_t>(op.after)], s.ops.back());
}

RecipeStamper::Stamping RecipeStamper::start(const Recipe& recipe, int note, std::size_t which) {
  stamped_[which].clear();
  return {recipe, note, ops_.last_kernel(), stamped_[which]};
}

void RecipeStamper::stamp(const Recipe& recipe, int note) {
  Stamping stamping = start(recipe, note, 0);
  while (!stamping.ended()) stamp_next(stamping);
}

void RecipeStamper::stamp_until_collective(Stamping& s) {
  bool waits = false;
  while (!s.ended() && !waits) {
    const LayerCollective kind = s.recipe[s.ops.size()].collective;
    waits = kind != LayerCollective::none && kind != LayerCollective::host;
    stamp_next(s);
  }
}

void RecipeStamper::stamp_side_by_side(const Recipe& one, int one_note, const Recipe& other, int other_note) {
  Stamping a = start(one, one_note, 0), b = start(other, other_note, 1);
  while (!a.ended() || !b.ended()) {
    stamp_until_collective(a);
    stamp_until_collective(b);
  }
}

}  // namespace clusterwright
