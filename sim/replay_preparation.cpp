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
  prepare_hosts();
  prepare_chains();
  prepare_lanes();
  prepare_ops();
}

void Replay::prepare_hosts() {
  const bool free = std::all_of(price_.works.begin(), price_.works.end(),
                                [](const WorkPrice& work) { return work.launch.count == 0; });
  if (free) return;
  issued_.resize(structure_.op_count());
  IndexedVector<RankClassId, Picoseconds> host(structure_.ranks.size());
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpId op(i);
    issued_[op] = host[rank_of(op)] += work_of(op).launch;
  }
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
  table_speeds_.resize(price_.sm_tables.size());
  lanes_of_.resize(structure_.ranks.size());
  for (std::size_t i = 0; i < structure_.lanes.size(); ++i)
    lanes_of_[structure_.lanes[LaneId(i)].rank].push_back(LaneId(i));
  for (const WorkPrice& work : price_.works)
    memory_demand_.push_back(static_cast<std::uint32_t>(std::llround(work.activity.memory * whole_memory)));
}

void Replay::prepare_ops() {
  OpTrace pending;
  pending.end = not_yet;
  result_.ops.assign(structure_.op_count(), pending);
  result_.last_arrival.resize(structure_.rendezvous.size());
  rendezvous_.resize(structure_.rendezvous.size());
  next_member_.resize(structure_.op_count());
  waiting_for_ = structure_.predecessor_count;
  for (const OpId next : structure_.next_in_lane)
    if (next.exists()) ++waiting_for_[next];
}

}  // namespace clusterwright::replay_state
