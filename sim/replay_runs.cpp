#include <algorithm>

#include "sim/replay_run.hpp"

namespace clusterwright::replay_state {

/// Times follow when the instant is settled, and loads are known.
void Replay::begin_run(OpId op) {
  LaneState& lane = lanes_[ops_[op].lane];
  OpTrace& trace = result_.ops[op];
  trace.active = now_;
  trace.unshared = duration_alone(ops_[op].work, lane.rank);
  trace.end = longest;
  lane.remaining = Int128{trace.unshared.count} << full_speed_bits;
  lane.since = now_;
  lane.speed = 0;
  lane.lost = {};
  lane.run = {};
  lane.run.at = op;
  mark_dirty(lane.rank);
}

/// Decides when the ops of a run end: it has just begun, or loads of the rank have changed.
void Replay::plan_run(LaneId id) {
  LaneState& lane = lanes_[id];
  RunState& run = lane.run;
  while (result_.ops[run.at].end <= now_) end_op_of_run(lane);
  const std::uint64_t reserved = ranks_[lane.rank].sms.amount;
  const ChargeId culprit = reserved > 0 ? largest_other_holder(lane) : ChargeId();
  const bool as_planned = lane.speed != 0 && reserved == run.reserved && culprit == run.culprit;
  if (as_planned) return;
  run.reserved = reserved;
  run.culprit = culprit;
  replan_current(lane);
  run.slowed = lane.culprit.exists();
  run.left = 1;
  run.last = run.at;
  for (OpId next = ops_[run.at].next_in_run; next.exists(); next = ops_[next].next_in_run) plan_op(next, lane);
  queue_.push(result_.ops[run.last].end, {Pending::ran, id.value, ++lane.version});
}

/// The op at which a run is goes on from now at another speed; a collective at the same.
void Replay::replan_current(LaneState& lane) {
  const OpId op = lane.run.at;
  if (ops_[op].rendezvous.exists()) return;
  OpTrace& trace = result_.ops[op];
  const std::uint32_t speed = table_speed(work_of(op).sm_table, lane.run.reserved);
  if (trace.active <= now_) progress(lane);
  if (speed < full_speed) lane.culprit = lane.run.culprit;
  if (speed == lane.speed) return;
  lane.speed = speed;
  trace.end = lane.since + time_for(lane.remaining, speed);
}

/// Appends an op to the plan.
void Replay::plan_op(OpId op, LaneState& lane) {
  RunState& run = lane.run;
  const OpState& state = ops_[op];
  const Picoseconds before = result_.ops[run.last].end;
  OpTrace& trace = result_.ops[op];
  const bool launched = issued_[op] <= before;
  trace.start = trace.active = launched ? before : issued_[op];
  trace.released_by = launched ? run.last : OpId();
  run.last = op;
  ++run.left;
  if (state.rendezvous.exists()) {
    result_.last_arrival[state.rendezvous] = op;
    trace.unshared = chain_alone_[structure_.rendezvous[state.rendezvous].chain];
    trace.end = trace.active + trace.unshared;
    return;
  }
  trace.unshared = duration_alone(state.work, lane.rank);
  const std::uint32_t speed = table_speed(work_of(op).sm_table, run.reserved);
  run.slowed = run.slowed || speed < full_speed;
  trace.end = trace.active +
              (speed == full_speed ? trace.unshared : time_for(Int128{trace.unshared.count} << full_speed_bits, speed));
}

/// The op at which the run was has ended as planned; the lane takes up the next one.
void Replay::end_op_of_run(LaneState& lane) {
  RunState& run = lane.run;
  charge_run_loss(lane);
  ++ended_;
  --run.left;
  run.at = ops_[run.at].next_in_run;
  lane.culprit = ChargeId();
  lane.speed = full_speed;
  if (!run.at.exists() || ops_[run.at].rendezvous.exists()) return;
  const OpTrace& trace = result_.ops[run.at];
  lane.op = run.at;
  lane.remaining = Int128{trace.unshared.count} << full_speed_bits;
  lane.since = trace.active;
  lane.lost = {};
  lane.speed = table_speed(work_of(run.at).sm_table, run.reserved);
  if (lane.speed < full_speed) lane.culprit = run.culprit;
}

/// Of the op at which the run is, from the last change to its end.
void Replay::charge_run_loss(LaneState& lane) {
  if (!lane.culprit.exists()) return;
  const OpTrace& trace = result_.ops[lane.run.at];
  std::vector<Picoseconds>& charged = lost_[lane.rank];
  charged.resize(structure_.charge_names.size());
  charged[lane.culprit.value] += trace.end - trace.active - trace.unshared - lane.lost;
}

void Replay::end_run(LaneId id) {
  LaneState& lane = lanes_[id];
  const OpId last = lane.run.last;
  while (lane.run.slowed && lane.run.at.exists()) end_op_of_run(lane);
  ended_ += lane.run.left;
  lane.run = {};
  lane.culprit = ChargeId();
  lane.op = OpId();
  release_successors(last);
}

}  // namespace clusterwright::replay_state
