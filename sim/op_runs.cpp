// SPDX-License-Identifier: Apache-2.0
#include "sim/op_runs.hpp"

#include <limits>
#include <utility>

#include "sim/progress.hpp"
#include "sim/run_search.hpp"

namespace clusterwright::engine {

void OpRuns::find(Ground ground) {
  if (ground_ == ground) return;
  ground_ = std::move(ground);
  predecessors_ = step_.predecessors();
  for (std::size_t i = 0; i < step_.op_count(); ++i) step_.op(OpId(i)).next_in_run = OpId();
  find_runs(step_.structure(), allowed_ops(), [&](std::span<const OpId> run) { detach(run); });
}

/// Kernels, and collectives that take their time alone. Where memory can be short, or several lanes compute, ops slow
/// each other down in ways that a plan does not cover.
IndexedVector<OpId, char> OpRuns::allowed_ops() const {
  IndexedVector<OpId, char> allowed(step_.op_count(), 0);
  if (ground_->memory_can_be_short) return allowed;
  for (std::size_t i = 0; i < step_.op_count(); ++i) {
    const OpState& op = step_.op(OpId(i));
    const Lane& lane = step_.structure().lanes[op.lane];
    if (step_.compute_lanes_of(lane.rank).size() != 1 || step_.structure().op_pass[OpId(i)].exists()) continue;
    if (op.rendezvous.exists()) {
      const Rendezvous& meeting = step_.structure().rendezvous[op.rendezvous];
      const bool own = lane.kind == LaneKind::communication && meeting.members == 1;
      allowed[OpId(i)] = own && ground_->free_chains[meeting.chain.value];
    } else {
      allowed[OpId(i)] = lane.kind == LaneKind::compute && !ground_->reserving_works[op.work.value];
    }
  }
  return allowed;
}

/// Only the last op of a run releases others, only the first is released.
void OpRuns::detach(std::span<const OpId> run) {
  for (std::size_t i = 0; i + 1 < run.size(); ++i) {
    step_.op(run[i]).next_in_run = run[i + 1];
    predecessors_[run[i + 1]] += started_by_run;
    step_.for_each_successor(run[i], [&](OpId successor) { --predecessors_[successor]; });
  }
}

void OpRuns::reset() {
  runs_.assign(step_.structure().lanes.size(), {});
  ended_ = 0;
}

void OpRuns::begin(OpId op) {
  const LaneId id = step_.op(op).lane;
  LaneState& lane = lanes_[id];
  OpTrace& trace = result_.ops[op];
  trace.active = events_.now();
  trace.unshared = lanes_.works().alone(step_.op(op).work, step_.rank_of(id));
  trace.end = {std::numeric_limits<std::int64_t>::max()};
  lane.remaining = progress_of(trace.unshared);
  lane.since = events_.now();
  lane.speed = 0;
  lane.lost = {};
  runs_[id] = {};
  runs_[id].at = op;
  lanes_.mark_changed(id);
}

void OpRuns::plan(LaneId id) {
  LaneState& lane = lanes_[id];
  RunState& run = runs_[id];
  while (result_.ops[run.at].end <= events_.now()) end_op(id);
  const RankClassId rank = step_.rank_of(id);
  const std::uint64_t reserved = lanes_.loads().sms(rank).amount;
  const ChargeId culprit = reserved > 0 ? lanes_.largest_other_holder(id) : ChargeId();
  const bool as_planned = lane.speed != 0 && reserved == run.reserved && culprit == run.culprit;
  if (as_planned) return;
  run.reserved = reserved;
  run.culprit = culprit;
  replan_current(id);
  run.slowed = lane.culprit.exists();
  run.left = 1;
  run.last = run.at;
  for (OpId next = step_.op(run.at).next_in_run; next.exists(); next = step_.op(next).next_in_run)
    plan_op(next, rank, run);
  events_.push(result_.ops[run.last].end, {PendingEvent::ran, id.value, ++lane.version});
}

/// The op that is under way goes on from now at another speed; a collective at the same.
void OpRuns::replan_current(LaneId id) {
  LaneState& lane = lanes_[id];
  const RunState& run = runs_[id];
  if (step_.op(run.at).rendezvous.exists()) return;
  OpTrace& trace = result_.ops[run.at];
  const std::uint32_t speed = speed_of(step_.op(run.at).work, run);
  if (trace.active <= events_.now()) lanes_.progress(id);
  if (speed < full_speed) lane.culprit = run.culprit;
  if (speed == lane.speed) return;
  lane.speed = speed;
  trace.end = lane.since + time_for(lane.remaining, speed);
}

std::uint32_t OpRuns::speed_of(WorkId work, const RunState& run) {
  WorkTimes& works = lanes_.works();
  return works.speed_beside_reserved(works.needs(work).sm_table, run.reserved);
}

/// Appends an op to the plan.
void OpRuns::plan_op(OpId op, RankClassId rank, RunState& run) {
  const OpState& state = step_.op(op);
  const Picoseconds before = result_.ops[run.last].end;
  const Picoseconds issued = step_.issued(op);
  OpTrace& trace = result_.ops[op];
  const bool launched = issued <= before;
  trace.start = trace.active = launched ? before : issued;
  trace.released_by = launched ? run.last : OpId();
  run.last = op;
  ++run.left;
  if (state.rendezvous.exists()) {
    result_.last_arrival[state.rendezvous] = op;
    trace.unshared = transfers_.alone(step_.structure().rendezvous[state.rendezvous].chain);
    trace.end = trace.active + trace.unshared;
    return;
  }
  trace.unshared = lanes_.works().alone(state.work, rank);
  const std::uint32_t speed = speed_of(state.work, run);
  run.slowed = run.slowed || speed < full_speed;
  trace.end = trace.active + (speed == full_speed ? trace.unshared : time_for(progress_of(trace.unshared), speed));
}

/// The op that was under way has ended as planned; the lane takes up the next one.
void OpRuns::end_op(LaneId id) {
  LaneState& lane = lanes_[id];
  RunState& run = runs_[id];
  charge_loss(id);
  ++ended_;
  --run.left;
  run.at = step_.op(run.at).next_in_run;
  lane.culprit = ChargeId();
  lane.speed = full_speed;
  if (!run.at.exists() || step_.op(run.at).rendezvous.exists()) return;
  const OpTrace& trace = result_.ops[run.at];
  lane.op = run.at;
  lane.remaining = progress_of(trace.unshared);
  lane.since = trace.active;
  lane.lost = {};
  lane.speed = speed_of(step_.op(run.at).work, run);
  if (lane.speed < full_speed) lane.culprit = run.culprit;
}

/// Loss of the op that is under way, from the last change to its end.
void OpRuns::charge_loss(LaneId id) {
  const LaneState& lane = lanes_[id];
  if (!lane.culprit.exists()) return;
  const OpTrace& trace = result_.ops[runs_[id].at];
  lanes_.charge_loss(step_.rank_of(id), lane.culprit, trace.end - trace.active - trace.unshared - lane.lost);
}

OpId OpRuns::end(LaneId id) {
  LaneState& lane = lanes_[id];
  RunState& run = runs_[id];
  const OpId last = run.last;
  while (run.slowed && run.at.exists()) end_op(id);
  ended_ += run.left;
  run = {};
  lane.culprit = ChargeId();
  lane.op = OpId();
  return last;
}

}  // namespace clusterwright::engine
