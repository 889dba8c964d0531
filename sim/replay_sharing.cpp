#include <algorithm>

#include "sim/device_sharing.hpp"
#include "sim/replay_run.hpp"

namespace clusterwright::replay_state {

void Replay::settle() {
  for (const RankClassId rank : dirty_) share_device(rank);
  dirty_.clear();
  for (const RendezvousId rendezvous : bounds_stale_) renew_bound(rendezvous);
  bounds_stale_.clear();
  if (!rates_stale_) return;
  rates_stale_ = false;
  for (const std::uint32_t key : sharing_->settle()) set_rate(key, sharing_->rate(key));
}

void Replay::share_device(RankClassId rank) {
  ranks_[rank].dirty = false;
  for (const LaneId lane : lanes_of_[rank]) {
    const OpId op = lanes_[lane].op;
    if (!op.exists()) continue;
    const RendezvousId rendezvous = structure_.op_rendezvous[op];
    if (!rendezvous.exists()) {
      slow_down(lane);
    } else if (rendezvous_[rendezvous].transfer != RendezvousState::no_transfer &&
               !rendezvous_[rendezvous].bound_stale) {
      rendezvous_[rendezvous].bound_stale = true;
      bounds_stale_.push_back(rendezvous);
    }
  }
}

void Replay::slow_down(LaneId lane_id) {
  LaneState& lane = lanes_[lane_id];
  const RankState& rank = ranks_[structure_.lanes[lane_id].rank];
  const WorkPrice& work = work_of(lane.op);
  const std::uint32_t beside_reserved = table_speed(work.sm_table, rank.reserved - work.reserved_sms);
  const std::uint32_t beside_memory =
      rank.memory_short() ? speed_beside_memory_demand(memory_demand(lane.op), rank.memory) : full_speed;
  const std::uint32_t speed = std::min(beside_reserved, beside_memory);

  ChargeId culprit = lane.culprit;
  if (speed < full_speed)
    culprit = beside_reserved <= beside_memory
                  ? largest_other(lane_id, [&](OpId op) { return work_of(op).reserved_sms; })
                  : largest_other(lane_id, [&](OpId op) { return is_active(op) ? memory_demand(op) : 0; });
  if (speed == lane.speed && culprit == lane.culprit) return;
  progress(lane_id);
  lane.culprit = culprit;
  if (speed == lane.speed) return;
  lane.speed = speed;
  queue_.push(now_ + time_for(lane.remaining, speed), {Pending::computed, lane_id.value, ++lane.version});
}

std::uint32_t Replay::table_speed(SmTableId table, std::uint32_t reserved) {
  if (!table.exists() || reserved == 0) return full_speed;
  TableSpeed& last = table_speeds_[table];
  if (last.reserved != reserved) last = {reserved, speed_beside_reserved(price_.sm_tables[table], reserved)};
  return last.speed;
}

/// Charge of the other op on the rank with the largest amount; of equals, the one that was issued first.
template <class Amount>
ChargeId Replay::largest_other(LaneId lane, Amount amount) const {
  OpId largest;
  std::uint32_t most = 0;
  for (const LaneId other : lanes_of_[structure_.lanes[lane].rank]) {
    const OpId op = lanes_[other].op;
    if (other == lane || !op.exists()) continue;
    const std::uint32_t takes = amount(op);
    if (takes > most || (takes == most && largest.exists() && op < largest)) {
      largest = op;
      most = takes;
    }
  }
  return largest.exists() ? structure_.op_charge[largest] : ChargeId();
}

/// Brings a compute op up to now.
void Replay::progress(LaneId lane_id) {
  LaneState& lane = lanes_[lane_id];
  lane.remaining = std::max<Int128>(0, lane.remaining - Int128{lane.speed} * (now_ - lane.since).count);
  lane.since = now_;
  if (lane.culprit.exists() && structure_.lanes[lane_id].kind == LaneKind::compute) charge_loss(lane_id);
}

/// Whole picoseconds of progress count, so that in the end the losses add up to what the op took longer.
void Replay::charge_loss(LaneId lane_id) {
  LaneState& lane = lanes_[lane_id];
  const OpTrace& trace = result_.ops[lane.op];
  const Int128 work = Int128{trace.unshared.count} << full_speed_bits;
  const Picoseconds done{static_cast<std::int64_t>((work - lane.remaining) >> full_speed_bits)};
  const Picoseconds lost = now_ - trace.active - done;
  std::vector<Picoseconds>& charged = lost_[structure_.lanes[lane_id].rank];
  charged.resize(structure_.charge_names.size());
  charged[lane.culprit.value] += lost - lane.lost;
  lane.lost = lost;
}

void Replay::renew_bound(RendezvousId rendezvous) {
  RendezvousState& state = rendezvous_[rendezvous];
  state.bound_stale = false;
  TransferState& transfer = transfers_[state.transfer];
  const std::uint64_t bound = stage_bound(rendezvous);
  if (bound == transfer.bound) return;
  transfer.bound = bound;
  sharing_->set_bound(state.transfer, bound);
  rates_stale_ = true;
}

std::uint64_t Replay::stage_bound(RendezvousId rendezvous) const {
  const std::uint64_t alone = price_.stages[StageId(rendezvous_[rendezvous].stage)].rate_bound;
  if (ranks_short_of_memory_ == 0) return alone;
  std::uint64_t demand = 0;
  for_each_member(rendezvous, [&](OpId member) { demand = std::max(demand, ranks_[rank_of(member)].memory); });
  return bound_beside_memory_demand(alone, demand);
}

void Replay::set_rate(std::uint32_t key, std::uint64_t rate) {
  TransferState& transfer = transfers_[key];
  const StageId stage(rendezvous_[transfer.rendezvous].stage);
  const bool alone_from_start = transfer.rate == 0 && rate == price_.stages[stage].rate_bound;
  transfer.remaining -= Int128{transfer.rate} * (now_ - transfer.since).count;
  transfer.since = now_;
  transfer.rate = rate;
  const Picoseconds left = alone_from_start ? stage_alone_[stage] : time_for(transfer.remaining, rate);
  queue_.push(now_ + left, {Pending::transferred, key, ++transfer.version});
}

void Replay::collect_losses() {
  for (std::size_t rank = 0; rank < lost_.size(); ++rank) {
    const std::vector<Picoseconds>& lost = lost_[RankClassId(rank)];
    for (std::size_t charge = 0; charge < lost.size(); ++charge)
      if (lost[charge].count != 0)
        result_.sharing_losses.push_back({RankClassId(rank), ChargeId(charge), lost[charge]});
  }
}

}  // namespace clusterwright::replay_state
