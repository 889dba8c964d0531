#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/replay_run.hpp"

namespace clusterwright::replay_state {

Picoseconds time_for(Int128 remaining, std::uint64_t rate) {
  constexpr Int128 horizon = Int128{1} << 61;
  if (remaining <= 0) return {0};
  if (remaining <= std::numeric_limits<std::int64_t>::max() / 2)  // spares the wide division
    return {static_cast<std::int64_t>((static_cast<std::uint64_t>(remaining) + rate - 1) / rate)};
  return {static_cast<std::int64_t>(std::min(horizon, (remaining + rate - 1) / rate))};
}

namespace {

Picoseconds transfer_time_alone(const LegTiming& leg) {
  if (leg.bytes == 0) return {0};
  return time_for(Int128{leg.bytes} * picoseconds_per_second, leg.rate_bound);
}

}  // namespace

Replay::Replay(const StepStructure& structure) : structure_(structure) {
  prepare_lanes();
  prepare_ops();
  survey_lanes();
}

void Replay::prepare_lanes() {
  lanes_.resize(structure_.lanes.size());
  lanes_of_.resize(structure_.ranks.size());
  compute_lanes_of_.resize(structure_.ranks.size());
  for (std::size_t i = 0; i < structure_.lanes.size(); ++i) {
    const LaneId id(i);
    const Lane& lane = structure_.lanes[id];
    lanes_of_[lane.rank].push_back(id);
    if (lane.kind != LaneKind::communication) compute_lanes_of_[lane.rank].push_back(id);
  }
}

void Replay::prepare_ops() {
  IndexedVector<LaneId, std::uint32_t> lane_predecessors(structure_.lanes.size());  // 0 for the head of a lane, else 1
  ops_.resize(structure_.op_count() + 1);
  predecessors_.resize(structure_.op_count());
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpId op(i);
    const LaneId lane = structure_.op_lane[op];
    ops_[op] = {lane,
                structure_.op_work[op],
                structure_.op_rendezvous[op],
                structure_.op_charge[op],
                structure_.next_in_lane[op],
                structure_.successor_begin[i],
                OpId(),
                OpId()};
    predecessors_[op] = structure_.predecessor_count[op] + lane_predecessors[lane];
    lane_predecessors[lane] = 1;
    if (predecessors_[op] == 0) first_ops_.push_back(op);
  }
  ops_[OpId(structure_.op_count())].successor_begin = static_cast<std::uint32_t>(structure_.successor.size());
}

/// Everything that a replay leaves behind, but for what find_runs keeps.
void Replay::reset(ReplayResult spare) {
  result_ = std::move(spare);
  result_.ops.resize(structure_.op_count());
  result_.last_arrival.assign(structure_.rendezvous.size(), OpId());
  result_.sharing_losses.clear();
  result_.events = 0;
  queue_.clear();
  now_ = {};
  ended_ = 0;
  waiting_ = waiting_at_first_;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = structure_.lanes[LaneId(i)];
    lanes_[LaneId(i)] = {};
    lanes_[LaneId(i)].rank = lane.rank;
    lanes_[LaneId(i)].charges_losses = lane.kind == LaneKind::compute;
  }
  ranks_.assign(structure_.ranks.size(), {});
  time_clocks();
  lost_.assign(structure_.ranks.size(), {});
  rendezvous_.clear();
  rendezvous_.reserve(structure_.rendezvous.size());
  const auto& legs = structure_.chain_begin;
  for (const Rendezvous& rendezvous : structure_.rendezvous)
    rendezvous_.push_back({.missing = rendezvous.members,
                           .leg = legs[rendezvous.chain.value],
                           .leg_end = legs[rendezvous.chain.value + 1]});
  transfers_.clear();
  sharing_ = make_progressive_filling(timing_->capacity.items());
  rates_stale_ = false;
  dirty_.clear();
  bounds_stale_.clear();
  ranks_short_of_memory_ = 0;
}

void Replay::time_chains() {
  demands_.clear();
  demands_.reserve(structure_.uses.size());
  for (std::size_t i = 0; i < structure_.uses.size(); ++i)
    demands_.push_back({structure_.uses[i].resource.value, structure_.uses[i].count, timing_->coefficients[i]});
  leg_alone_.clear();
  for (const LegTiming& leg : timing_->legs) leg_alone_.push_back(transfer_time_alone(leg));
  chain_alone_.clear();
  for (std::size_t chain = 0; chain + 1 < structure_.chain_begin.size(); ++chain) {
    Picoseconds alone;
    for (LegId leg(structure_.chain_begin[chain]); leg.value < structure_.chain_begin[chain + 1]; ++leg.value)
      alone += timing_->legs[leg].delay + leg_alone_[leg];
    chain_alone_.push_back(alone);
  }
}

void Replay::time_works() {
  table_speeds_.clear();
  table_speeds_.resize(timing_->sm_tables.size());
  works_.clear();
  works_.reserve(timing_->works.size());
  for (const WorkTiming& work : timing_->works) {
    const auto memory_demand = static_cast<std::uint32_t>(std::llround(work.activity.memory * whole_memory));
    works_.push_back({work.reserved_sms, memory_demand, work.sm_table});
  }
}

/// Ranks at the same clock share what their works take.
void Replay::time_clocks() {
  clocks_.clear();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const double clock = timing_->clock[RankClassId(i)];
    const auto known = std::find(clocks_.begin(), clocks_.end(), clock);
    ranks_[RankClassId(i)].durations = static_cast<std::size_t>(known - clocks_.begin()) * works_.size();
    if (known == clocks_.end()) clocks_.push_back(clock);
  }
  durations_.assign(clocks_.size() * works_.size(), not_yet);
}

void Replay::time_launches() {
  std::vector<Picoseconds> launches;
  launches.reserve(timing_->works.size());
  for (const WorkTiming& work : timing_->works) launches.push_back(work.launch);
  if (launches == launches_ && issued_.size() == structure_.op_count()) return;
  launches_ = std::move(launches);
  IndexedVector<RankClassId, Picoseconds> host(structure_.ranks.size());
  issued_.resize(structure_.op_count());
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpState& op = ops_[OpId(i)];
    issued_[OpId(i)] = host[structure_.lanes[op.lane].rank] += launches_[op.work.value];
  }
}

}  // namespace clusterwright::replay_state
