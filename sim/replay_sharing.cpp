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
  for (const LaneId lane : compute_lanes_of_[rank]) {
    const OpId op = lanes_[lane].op;
    if (lanes_[lane].run.at.exists())
      plan_run(lane);
    else if (op.exists() && !ops_[op].rendezvous.exists())
      slow_down(lane);
  }
  if (ranks_[rank].bounds_changed) mark_bounds_stale(rank);
}

void Replay::mark_bounds_stale(RankClassId rank) {
  ranks_[rank].bounds_changed = false;
  for (const LaneId lane : lanes_of_[rank]) {
    const OpId op = lanes_[lane].op;
    if (!op.exists() || !ops_[op].rendezvous.exists()) continue;
    const RendezvousId rendezvous = ops_[op].rendezvous;
    const std::uint32_t transfer = rendezvous_[rendezvous].transfer;
    if (transfer == RendezvousState::no_transfer || transfers_[transfer].bound_stale) continue;
    transfers_[transfer].bound_stale = true;
    bounds_stale_.push_back(rendezvous);
  }
}

void Replay::slow_down(LaneId lane_id) {
  LaneState& lane = lanes_[lane_id];
  const RankState& rank = ranks_[lane.rank];
  const WorkState& work = work_of(lane.op);
  const std::uint32_t beside_reserved = table_speed(work.sm_table, rank.sms.amount - work.reserved_sms);
  const std::uint32_t beside_memory =
      rank.memory_short() ? speed_beside_memory_demand(work.memory_demand, rank.memory.amount) : full_speed;
  const std::uint32_t speed = std::min(beside_reserved, beside_memory);

  ChargeId culprit = lane.culprit;
  if (speed < full_speed)
    culprit = beside_reserved <= beside_memory ? largest_other_holder(lane) : largest_other_loader(lane);
  if (speed == lane.speed && culprit == lane.culprit) return;
  progress(lane);
  lane.culprit = culprit;
  if (speed == lane.speed) return;
  lane.speed = speed;
  queue_.push(now_ + time_for(lane.remaining, speed), {Pending::computed, lane_id.value, ++lane.version});
}

/// Each table is asked for a few numbers, time and again.
std::uint32_t Replay::table_speed(SmTableId table, std::uint64_t reserved) {
  if (!table.exists() || reserved == 0) return full_speed;
  const std::uint64_t last = timing_->sm_tables[table].points.back().reserved;
  const auto capped = static_cast<std::uint32_t>(std::min(reserved, last));  // constant from there on
  std::vector<std::uint32_t>& speeds = table_speeds_[table];
  if (speeds.size() <= capped) speeds.resize(capped + std::size_t{1});
  if (speeds[capped] == 0) speeds[capped] = speed_beside_reserved(timing_->sm_tables[table], capped);
  return speeds[capped];
}

ChargeId Replay::largest_other_holder(const LaneState& lane) const {
  return largest_other(lane, ranks_[lane.rank].sms, [&](OpId op) { return work_of(op).reserved_sms; });
}

ChargeId Replay::largest_other_loader(const LaneState& lane) const {
  return largest_other(lane, ranks_[lane.rank].memory,
                       [&](OpId op) { return is_active(op) ? work_of(op).memory_demand : 0; });
}

/// Charge of the other op on the rank with the largest amount; of equals, the one that was issued first.
template <class Amount>
ChargeId Replay::largest_other(const LaneState& lane, const Takers& takers, Amount amount) const {
  const bool takes_itself = amount(lane.op) > 0;
  if (takers.count == (takes_itself ? 2 : 1))
    return ops_[OpId(takes_itself ? takers.mixed ^ lane.op.value : takers.mixed)].charge;
  OpId largest;
  std::uint32_t most = 0;
  for (const LaneId other : lanes_of_[lane.rank]) {
    const OpId op = lanes_[other].op;
    if (op == lane.op || !op.exists()) continue;
    const std::uint32_t takes = amount(op);
    if (takes > most || (takes == most && largest.exists() && op < largest)) {
      largest = op;
      most = takes;
    }
  }
  return largest.exists() ? ops_[largest].charge : ChargeId();
}

/// Brings a compute op up to now.
void Replay::progress(LaneState& lane) {
  lane.remaining = std::max<Int128>(0, lane.remaining - Int128{lane.speed} * (now_ - lane.since).count);
  lane.since = now_;
  if (lane.culprit.exists() && lane.charges_losses) charge_loss(lane);
}

/// Whole picoseconds of progress count, so that in the end the losses add up to what the op took longer.
void Replay::charge_loss(LaneState& lane) {
  const OpTrace& trace = result_.ops[lane.op];
  const Int128 work = Int128{trace.unshared.count} << full_speed_bits;
  const Picoseconds done{static_cast<std::int64_t>((work - lane.remaining) >> full_speed_bits)};
  const Picoseconds lost = now_ - trace.active - done;
  std::vector<Picoseconds>& charged = lost_[lane.rank];
  charged.resize(structure_.charge_names.size());
  charged[lane.culprit.value] += lost - lane.lost;
  lane.lost = lost;
}

void Replay::renew_bound(RendezvousId rendezvous) {
  const std::uint32_t key = rendezvous_[rendezvous].transfer;
  TransferState& transfer = transfers_[key];
  transfer.bound_stale = false;
  const std::uint64_t bound = leg_bound(rendezvous);
  if (bound == transfer.bound) return;
  transfer.bound = bound;
  sharing_->set_bound(key, bound);
  rates_stale_ = true;
}

std::uint64_t Replay::leg_bound(RendezvousId rendezvous) const {
  const std::uint64_t alone = timing_->legs[LegId(rendezvous_[rendezvous].leg)].rate_bound;
  if (ranks_short_of_memory_ == 0) return alone;
  std::uint64_t demand = 0;
  for_each_member(rendezvous, [&](OpId member) { demand = std::max(demand, ranks_[rank_of(member)].memory.amount); });
  return bound_beside_memory_demand(alone, demand);
}

void Replay::set_rate(std::uint32_t key, std::uint64_t rate) {
  TransferState& transfer = transfers_[key];
  const LegId leg(rendezvous_[transfer.rendezvous].leg);
  const bool alone_from_start = transfer.rate == 0 && rate == timing_->legs[leg].rate_bound;
  transfer.remaining -= Int128{transfer.rate} * (now_ - transfer.since).count;
  transfer.since = now_;
  transfer.rate = rate;
  const Picoseconds left = alone_from_start ? leg_alone_[leg] : time_for(transfer.remaining, rate);
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
