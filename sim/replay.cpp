#include "sim/replay.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/device_sharing.hpp"
#include "sim/replay_run.hpp"

namespace clusterwright {
namespace replay_state {

ReplayResult Replay::run() && {
  for (std::size_t op = 0; op < structure_.op_count(); ++op)
    if (waiting_for_[OpId(op)] == 0) release(OpId(op), OpId());
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
  switch (event.kind) {
    case Pending::issued:
      return start(OpId(event.index), OpId());
    case Pending::computed:
      if (event.is_of(lanes_[LaneId(event.index)].version)) end(lanes_[LaneId(event.index)].op);
      return;
    case Pending::delayed:
      return after_delay(RendezvousId(event.index));
    case Pending::transferred:
      if (event.is_of(transfers_[event.index].version)) complete_transfer(event.index);
      return;
  }
}

/// Everything that `op` waited for has ended.
void Replay::release(OpId op, OpId released_by) {
  if (!issued_.empty() && issued_[op] > now_)
    queue_.push(issued_[op], {Pending::issued, op.value});
  else
    start(op, released_by);
}

void Replay::start(OpId op, OpId released_by) {
  OpTrace& trace = result_.ops[op];
  trace.start = now_;
  trace.released_by = released_by;
  const LaneId lane = structure_.op_lane[op];
  lanes_[lane].op = op;
  reserve(structure_.lanes[lane].rank, work_of(op).reserved_sms, 0);
  if (structure_.op_rendezvous[op].exists())
    arrive(op);
  else
    compute(op);
}

void Replay::compute(OpId op) {
  const LaneId lane_id = structure_.op_lane[op];
  const RankClassId rank = structure_.lanes[lane_id].rank;
  OpTrace& trace = result_.ops[op];
  trace.active = now_;
  trace.unshared = duration_at_clock(work_of(op), price_.clock[rank]);
  load_memory(rank, memory_demand(op), 0);

  LaneState& lane = lanes_[lane_id];
  lane.remaining = Int128{trace.unshared.count} << full_speed_bits;
  lane.since = now_;
  lane.speed = full_speed;
  lane.culprit = ChargeId();
  lane.lost = {};
  if (ranks_[rank].reserved > work_of(op).reserved_sms) mark_dirty(rank);
  if (ranks_[rank].dirty)
    lane.speed = 0;
  else
    queue_.push(now_ + trace.unshared, {Pending::computed, lane_id.value, ++lane.version});
}

void Replay::end(OpId op) {
  const LaneId lane_id = structure_.op_lane[op];
  const RankClassId rank = structure_.lanes[lane_id].rank;
  LaneState& lane = lanes_[lane_id];
  result_.ops[op].end = now_;
  if (lane.culprit.exists() && !structure_.op_rendezvous[op].exists()) progress(lane_id);
  lane.op = OpId();
  ++ended_;
  reserve(rank, 0, work_of(op).reserved_sms);
  load_memory(rank, 0, memory_demand(op));

  const auto& begin = structure_.successor_begin;
  for (std::uint32_t i = begin[op.value]; i < begin[op.value + 1]; ++i)
    if (--waiting_for_[structure_.successor[i]] == 0) release(structure_.successor[i], op);
  const OpId next = structure_.next_in_lane[op];
  if (next.exists() && --waiting_for_[next] == 0) release(next, op);
}

bool Replay::is_active(OpId op) const {
  const RendezvousId rendezvous = structure_.op_rendezvous[op];
  return !rendezvous.exists() || rendezvous_[rendezvous].arrived == structure_.rendezvous[rendezvous].members;
}

bool Replay::is_past_chain(RendezvousId rendezvous) const {
  const ChainId chain = structure_.rendezvous[rendezvous].chain;
  return rendezvous_[rendezvous].stage >= structure_.chain_begin[chain.value + 1];
}

void Replay::arrive(OpId op) {
  const RendezvousId rendezvous = structure_.op_rendezvous[op];
  OpId& last = result_.last_arrival[rendezvous];
  next_member_[op] = last.exists() ? next_member_[last] : op;
  if (last.exists()) next_member_[last] = op;
  last = op;

  if (++rendezvous_[rendezvous].arrived == structure_.rendezvous[rendezvous].members) begin_chain(rendezvous);
}

/// Even an empty chain ends in an event of its own, so that no op ends inside the start of another.
void Replay::begin_chain(RendezvousId rendezvous) {
  const ChainId chain = structure_.rendezvous[rendezvous].chain;
  for_each_member(rendezvous, [&](OpId member) {
    result_.ops[member].active = now_;
    result_.ops[member].unshared = chain_alone_[chain];
    load_memory(rank_of(member), memory_demand(member), 0);
  });
  const std::uint32_t first = structure_.chain_begin[chain.value];
  const bool empty = first == structure_.chain_begin[chain.value + 1];
  rendezvous_[rendezvous].stage = first;
  queue_.push(empty ? now_ : now_ + price_.stages[StageId(first)].delay, {Pending::delayed, rendezvous.value});
}

void Replay::after_delay(RendezvousId rendezvous) {
  const StageId stage(rendezvous_[rendezvous].stage);
  if (!is_past_chain(rendezvous) && price_.stages[stage].bytes > 0)
    begin_transfer(rendezvous);
  else
    next_stage(rendezvous);
}

void Replay::next_stage(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  ++state.stage;
  if (is_past_chain(rendezvous))
    for_each_member(rendezvous, [&](OpId member) { end(member); });
  else
    queue_.push(now_ + price_.stages[StageId(state.stage)].delay, {Pending::delayed, rendezvous.value});
}

void Replay::begin_transfer(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  const StagePrice& stage = price_.stages[StageId(state.stage)];
  const auto& begin = structure_.use_begin;
  const std::span<const CapacityDemand> demands(demands_.data() + begin[state.stage],
                                                begin[state.stage + 1] - begin[state.stage]);
  const std::uint64_t bound = stage_bound(rendezvous);
  state.transfer = sharing_->add(demands, bound, stage.weight);
  if (state.transfer >= transfers_.size()) transfers_.resize(state.transfer + 1);
  TransferState& transfer = transfers_[state.transfer];
  transfer.remaining = Int128{stage.bytes} * picoseconds_per_second;
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
  next_stage(rendezvous);
}

void Replay::report_stuck() const {
  OpId op(0);
  while (result_.ops[op].end != not_yet) ++op.value;
  const Lane& lane = structure_.lanes[structure_.op_lane[op]];
  throw std::logic_error(fmt::format("replay: op {} ({}) on lane {} of rank {} can never end", op.value,
                                     structure_.work_names[structure_.op_work[op]], lane.name,
                                     structure_.ranks[lane.rank].name));
}

}  // namespace replay_state

ReplayResult replay(const StepStructure& structure, const StepPrice& price) {
  return replay_state::Replay(structure, price).run();
}

}  // namespace clusterwright
