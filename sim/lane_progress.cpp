// SPDX-License-Identifier: Apache-2.0
#include "sim/lane_progress.hpp"

#include <algorithm>

#include "sim/progress.hpp"

namespace clusterwright::engine {
namespace {

/// Device memory is shared in proportion to demand: once the demands add up to more than the whole, every op that has
/// any runs slower by the same factor. An op without demand is not slowed down.
/// @param demand, total  demand of the op and of all active ops, in 1/whole_memory
std::uint32_t speed_beside_memory_demand(std::uint32_t demand, std::uint64_t total) {
  if (demand == 0 || total <= whole_memory) return full_speed;
  return std::max(1u, static_cast<std::uint32_t>(std::uint64_t{whole_memory} * full_speed / total));
}

}  // namespace

void LaneProgress::reset() {
  lanes_.assign(step_.structure().lanes.size(), {});
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[LaneId(i)].charges_losses = step_.structure().lanes[LaneId(i)].kind == LaneKind::compute;
  lost_.assign(step_.structure().ranks.size(), {});
}

void LaneProgress::compute(OpId op) {
  const OpState& state = step_.op(op);
  const LaneId id = state.lane;
  const WorkId work = state.work;
  const RankClassId rank = step_.rank_of(id);
  const Picoseconds now = events_.now();
  const Picoseconds unshared = works_.alone(work, rank);
  activate(op, unshared);
  LaneState& lane = lanes_[id];
  lane.remaining = progress_of(unshared);
  lane.since = now;
  lane.speed = full_speed;
  lane.lost = {};
  if (loads_.sms(rank).amount > works_.needs(work).reserved_sms) loads_.mark_changed(rank);
  if (loads_.has_changed(rank))
    lane.speed = 0;
  else
    events_.push(now + unshared, {PendingEvent::computed, id.value, ++lane.version});
}

void LaneProgress::share(LaneId id) {
  LaneState& lane = lanes_[id];
  if (!lane.op.exists() || step_.op(lane.op).rendezvous.exists()) return;
  const RankClassId rank = step_.rank_of(id);
  const WorkNeeds& work = needs(lane.op);
  const std::uint64_t reserved_by_others = loads_.sms(rank).amount - work.reserved_sms;
  const std::uint32_t beside_reserved = works_.speed_beside_reserved(work.sm_table, reserved_by_others);
  const std::uint32_t beside_memory = loads_.memory_short(rank)
                                          ? speed_beside_memory_demand(work.memory_demand, loads_.memory(rank).amount)
                                          : full_speed;
  const std::uint32_t speed = std::min(beside_reserved, beside_memory);

  ChargeId culprit = lane.culprit;
  if (speed < full_speed)
    culprit = beside_reserved <= beside_memory ? largest_other_holder(id) : largest_other_loader(id);
  if (speed == lane.speed && culprit == lane.culprit) return;
  progress(id);
  lane.culprit = culprit;
  if (speed == lane.speed) return;
  lane.speed = speed;
  events_.push(events_.now() + time_for(lane.remaining, speed), {PendingEvent::computed, id.value, ++lane.version});
}

OpId LaneProgress::largest_other_holder_op(LaneId lane) const {
  return largest_other(lane, loads_.sms(step_.rank_of(lane)),
                       [&](const LaneState& other) { return needs(other.op).reserved_sms; });
}

ChargeId LaneProgress::largest_other_loader(LaneId lane) const {
  return charge_of(largest_other(lane, loads_.memory(step_.rank_of(lane)), [&](const LaneState& other) {
    return other.active ? needs(other.op).memory_demand : 0;
  }));
}

/// The other op on the rank with the largest amount; of equals, the one that was issued first.
template <class Amount>
OpId LaneProgress::largest_other(LaneId id, const Takers& takers, Amount amount) const {
  const LaneState& lane = lanes_[id];
  const bool takes_itself = amount(lane) > 0;
  if (takers.count == (takes_itself ? 2 : 1)) return OpId(takes_itself ? takers.mixed ^ lane.op.value : takers.mixed);
  OpId largest;
  std::uint32_t most = 0;
  for (const LaneId other : step_.lanes_of(step_.rank_of(id))) {
    const OpId op = lanes_[other].op;
    if (op == lane.op || !op.exists()) continue;
    const std::uint32_t takes = amount(lanes_[other]);
    if (takes > most || (takes == most && largest.exists() && op < largest)) {
      largest = op;
      most = takes;
    }
  }
  return largest;
}

void LaneProgress::progress(LaneId id) {
  LaneState& lane = lanes_[id];
  const Picoseconds now = events_.now();
  lane.remaining = std::max<Int128>(0, lane.remaining - Int128{lane.speed} * (now - lane.since).count);
  lane.since = now;
  if (lane.culprit.exists() && lane.charges_losses) charge_progress(id);
}

/// Whole picoseconds of progress count, so that the losses add up to the extra time of the op.
void LaneProgress::charge_progress(LaneId id) {
  LaneState& lane = lanes_[id];
  const OpTrace& trace = result_.ops[lane.op];
  const Int128 made = progress_of(trace.unshared) - lane.remaining;
  const Picoseconds done{static_cast<std::int64_t>(made >> full_speed_bits)};
  const Picoseconds lost = events_.now() - trace.active - done;
  charge_loss(step_.rank_of(id), lane.culprit, lost - lane.lost);
  lane.lost = lost;
}

std::vector<SharingLoss> LaneProgress::losses() const {
  std::vector<SharingLoss> losses;
  for (std::size_t rank = 0; rank < lost_.size(); ++rank) {
    const std::vector<Picoseconds>& lost = lost_[RankClassId(rank)];
    for (std::size_t charge = 0; charge < lost.size(); ++charge)
      if (lost[charge].count != 0) losses.push_back({RankClassId(rank), ChargeId(charge), lost[charge]});
  }
  return losses;
}

}  // namespace clusterwright::engine
