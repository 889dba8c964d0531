#include "sim/replay.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/device_sharing.hpp"
#include "sim/replay_run.hpp"

namespace clusterwright {
namespace replay_state {

ReplayResult Replay::run(const StepTiming& timing, ReplayResult spare) {
  timing_ = &timing;
  time_chains();
  time_works();
  time_launches();
  find_free_chains();
  find_runs();
  reset(std::move(spare));
  for (const OpId op : first_ops_) release(op, OpId());
  settle();
  while (ended_ < structure_.op_count()) {
    if (queue_.empty()) report_stuck();
    const auto event = queue_.pop();
    ++result_.events;
    now_ = event.time;
    handle(event.payload);
    if (!queue_.more_now()) settle();
  }
  result_.end = now_;
  collect_losses();
  return std::move(result_);
}

void Replay::handle(Pending event) {
  const std::uint32_t index = event.index();
  switch (event.kind()) {
    case Pending::issued:
      return start(OpId(index), OpId());
    case Pending::computed:
      if (event.is_of(lanes_[LaneId(index)].version)) end(lanes_[LaneId(index)].op);
      return;
    case Pending::ran:
      if (event.is_of(lanes_[LaneId(index)].version)) end_run(LaneId(index));
      return;
    case Pending::delayed:
      return after_delay(RendezvousId(index));
    case Pending::transferred:
      if (event.is_of(transfers_[index].version)) complete_transfer(index);
      return;
  }
}

/// Everything that `op` waited for has ended.
void Replay::release(OpId op, OpId released_by) {
  const Picoseconds issued = issued_[op];
  if (issued > now_)
    queue_.push(issued, {Pending::issued, op.value});
  else
    start(op, released_by);
}

void Replay::start(OpId op, OpId released_by) {
  OpTrace& trace = result_.ops[op];
  trace.start = now_;
  trace.released_by = released_by;
  lanes_[ops_[op].lane].op = op;
  hold_sms(op);
  if (ops_[op].rendezvous.exists())
    arrive(op);
  else if (ops_[op].next_in_run.exists())
    begin_run(op);
  else
    compute(op);
}

void Replay::compute(OpId op) {
  const OpState& state = ops_[op];
  LaneState& lane = lanes_[state.lane];
  OpTrace& trace = result_.ops[op];
  trace.active = now_;
  trace.unshared = duration_alone(state.work, lane.rank);
  load_memory(op);

  lane.remaining = Int128{trace.unshared.count} << full_speed_bits;
  lane.since = now_;
  lane.speed = full_speed;
  lane.lost = {};
  const RankState& rank = ranks_[lane.rank];
  if (rank.sms.amount > work_of(op).reserved_sms) mark_dirty(lane.rank);
  if (rank.dirty)
    lane.speed = 0;
  else
    queue_.push(now_ + trace.unshared, {Pending::computed, state.lane.value, ++lane.version});
}

void Replay::end(OpId op) {
  const OpState& state = ops_[op];
  LaneState& lane = lanes_[state.lane];
  result_.ops[op].end = now_;
  if (lane.culprit.exists()) progress(lane);
  lane.culprit = ChargeId();
  lane.op = OpId();
  ++ended_;
  give_sms_back(op);
  unload_memory(op);
  release_successors(op);
}

void Replay::release_successors(OpId op) {
  const OpState& state = ops_[op];
  const std::uint32_t successor_end = ops_[OpId(op.value + 1)].successor_begin;
  for (std::uint32_t i = state.successor_begin; i < successor_end; ++i)
    if (--waiting_[structure_.successor[i]] == 0) release(structure_.successor[i], op);
  const OpId next = state.next_in_lane;
  if (next.exists() && --waiting_[next] == 0) release(next, op);
}

Picoseconds Replay::duration_alone(WorkId work, RankClassId rank) {
  Picoseconds& duration = durations_[ranks_[rank].durations + work.value];
  if (duration == not_yet) duration = duration_at_clock(timing_->works[work], timing_->clock[rank]);
  return duration;
}

bool Replay::is_active(OpId op) const {
  const RendezvousId rendezvous = ops_[op].rendezvous;
  return !rendezvous.exists() || rendezvous_[rendezvous].missing == 0;
}

void Replay::arrive(OpId op) {
  const RendezvousId rendezvous = ops_[op].rendezvous;
  OpId& last = result_.last_arrival[rendezvous];
  ops_[op].next_member = last.exists() ? ops_[last].next_member : op;
  if (last.exists()) ops_[last].next_member = op;
  last = op;

  if (--rendezvous_[rendezvous].missing == 0) begin_chain(rendezvous);
}

/// Even an empty chain ends in an event of its own, so that no op ends inside the start of another.
void Replay::begin_chain(RendezvousId rendezvous) {
  const ChainId chain = structure_.rendezvous[rendezvous].chain;
  const Picoseconds alone = chain_alone_[chain];
  for_each_member(rendezvous, [&](OpId member) {
    result_.ops[member].active = now_;
    result_.ops[member].unshared = alone;
    load_memory(member);
  });
  RendezvousState& state = rendezvous_[rendezvous];
  Picoseconds delay = alone;
  if (free_chains_[chain.value])
    state.leg = state.leg_end;
  else
    delay = timing_->legs[LegId(state.leg)].delay;
  queue_.push(now_ + delay, {Pending::delayed, rendezvous.value});
}

void Replay::after_delay(RendezvousId rendezvous) {
  const RendezvousState& state = rendezvous_[rendezvous];
  if (!state.past_chain() && timing_->legs[LegId(state.leg)].bytes > 0)
    begin_transfer(rendezvous);
  else
    next_leg(rendezvous);
}

void Replay::next_leg(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  ++state.leg;
  if (state.past_chain())
    for_each_member(rendezvous, [&](OpId member) { end(member); });
  else
    queue_.push(now_ + timing_->legs[LegId(state.leg)].delay, {Pending::delayed, rendezvous.value});
}

void Replay::begin_transfer(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  const LegTiming& leg = timing_->legs[LegId(state.leg)];
  const auto& begin = structure_.use_begin;
  const std::span<const CapacityDemand> demands(demands_.data() + begin[state.leg],
                                                begin[state.leg + 1] - begin[state.leg]);
  const std::uint64_t bound = leg_bound(rendezvous);
  state.transfer = sharing_->add(demands, bound, leg.weight);
  if (state.transfer >= transfers_.size()) transfers_.resize(state.transfer + 1);
  TransferState& transfer = transfers_[state.transfer];
  transfer.remaining = Int128{leg.bytes} * picoseconds_per_second;
  transfer.since = now_;
  transfer.rate = 0;
  transfer.bound = bound;
  transfer.rendezvous = rendezvous;
  rates_stale_ = true;
}

void Replay::complete_transfer(std::uint32_t key) {
  const RendezvousId rendezvous = transfers_[key].rendezvous;
  sharing_->remove(key);
  rates_stale_ = true;
  rendezvous_[rendezvous].transfer = RendezvousState::no_transfer;
  next_leg(rendezvous);
}

/// An op that has not ended waits for others, or for its partners.
void Replay::report_stuck() const {
  const auto ended = [&](OpId op) {
    const bool waits = waiting_[op] > 0 && waiting_[op] < started_by_run;
    return !waits && (!ops_[op].rendezvous.exists() || rendezvous_[ops_[op].rendezvous].missing == 0);
  };
  OpId op(0);
  while (ended(op)) ++op.value;
  const Lane& lane = structure_.lanes[structure_.op_lane[op]];
  throw std::logic_error(fmt::format("replay: op {} ({}) on lane {} of rank {} can never end", op.value,
                                     structure_.work_names[structure_.op_work[op]], lane.name,
                                     structure_.ranks[lane.rank].name));
}

}  // namespace replay_state

Replayer::Replayer(const StepStructure& structure) : replay_(std::make_unique<replay_state::Replay>(structure)) {}
Replayer::~Replayer() = default;

ReplayResult Replayer::run(const StepTiming& timing, ReplayResult spare) {
  return replay_->run(timing, std::move(spare));
}

ReplayResult replay(const StepStructure& structure, const StepTiming& timing) {
  return Replayer(structure).run(timing);
}

}  // namespace clusterwright
