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

Picoseconds transfer_time_alone(const StagePrice& stage) {
  if (stage.bytes == 0) return {0};
  return time_for(Int128{stage.bytes} * picoseconds_per_second, stage.rate_bound);
}

}  // namespace

Replay::Replay(const StepStructure& structure, const StepPrice& price)
    : structure_(structure), price_(price), sharing_(make_progressive_filling(price.capacity.items())) {
  prepare_chains();
  prepare_lanes();
  prepare_works();
  prepare_rendezvous();
  prepare_ops();
  prepare_free_chains();
}

void Replay::prepare_chains() {
  demands_.reserve(structure_.uses.size());
  for (std::size_t i = 0; i < structure_.uses.size(); ++i)
    demands_.push_back({structure_.uses[i].resource.value, structure_.uses[i].count, price_.coefficients[i]});
  for (const StagePrice& stage : price_.stages) stage_alone_.push_back(transfer_time_alone(stage));
  for (std::size_t chain = 0; chain + 1 < structure_.chain_begin.size(); ++chain) {
    Picoseconds alone;
    for (StageId stage(structure_.chain_begin[chain]); stage.value < structure_.chain_begin[chain + 1]; ++stage.value)
      alone += price_.stages[stage].delay + stage_alone_[stage];
    chain_alone_.push_back(alone);
  }
}

void Replay::prepare_lanes() {
  lanes_.resize(structure_.lanes.size());
  ranks_.resize(structure_.ranks.size());
  lost_.resize(structure_.ranks.size());
  lanes_of_.resize(structure_.ranks.size());
  compute_lanes_of_.resize(structure_.ranks.size());
  for (std::size_t i = 0; i < structure_.lanes.size(); ++i) {
    const LaneId id(i);
    const Lane& lane = structure_.lanes[id];
    lanes_[id].rank = lane.rank;
    lanes_[id].charges_losses = lane.kind == LaneKind::compute;
    lanes_of_[lane.rank].push_back(id);
    if (lane.kind != LaneKind::communication) compute_lanes_of_[lane.rank].push_back(id);
  }
}

void Replay::prepare_works() {
  table_speeds_.resize(price_.sm_tables.size());
  works_.reserve(price_.works.size());
  for (const WorkPrice& work : price_.works) {
    const auto memory_demand = static_cast<std::uint32_t>(std::llround(work.activity.memory * whole_memory));
    works_.push_back({work.duration, 1.0, work.reserved_sms, memory_demand, work.sm_table});
  }
}

void Replay::prepare_rendezvous() {
  const auto& stages = structure_.chain_begin;
  result_.last_arrival.resize(structure_.rendezvous.size());
  rendezvous_.reserve(structure_.rendezvous.size());
  for (const Rendezvous& rendezvous : structure_.rendezvous)
    rendezvous_.push_back({.missing = rendezvous.members,
                           .stage = stages[rendezvous.chain.value],
                           .stage_end = stages[rendezvous.chain.value + 1]});
}

/// Until an op starts, the start in its trace is when the host issues it.
void Replay::prepare_ops() {
  IndexedVector<LaneId, std::uint32_t> lane_predecessors(structure_.lanes.size());  // 0 for the head of a lane, else 1
  IndexedVector<RankClassId, Picoseconds> host(structure_.ranks.size());
  ops_.resize(structure_.op_count() + 1);
  result_.ops.resize(structure_.op_count());
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpId op(i);
    const LaneId lane = structure_.op_lane[op];
    const WorkId work = structure_.op_work[op];
    ops_[op] = {lane,
                work,
                structure_.op_rendezvous[op],
                structure_.op_charge[op],
                structure_.next_in_lane[op],
                structure_.successor_begin[i],
                structure_.predecessor_count[op] + lane_predecessors[lane],
                OpId()};
    lane_predecessors[lane] = 1;
    result_.ops[op].start = host[lanes_[lane].rank] += price_.works[work].launch;
    result_.ops[op].end = not_yet;
  }
  ops_[OpId(structure_.op_count())].successor_begin = static_cast<std::uint32_t>(structure_.successor.size());
}

}  // namespace clusterwright::replay_state
