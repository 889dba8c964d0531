#include "sim/power_meter.hpp"

#include <algorithm>
#include <cmath>

#include "sim/event_queue.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright {
namespace {

/// Whole microwatts: sums do not depend on their order, and what was added can be taken away exactly.
using Microwatts = std::int64_t;
constexpr double per_watt = 1e6;

Microwatts to_microwatts(Watts power) {
  constexpr Watts beyond_any_rank = 1e6 * megawatt;
  return std::llround(std::min(power, beyond_any_rank).in(watt)*per_watt);
}

class DomainMeter {
 public:
  void change(Picoseconds now, Microwatts by) {
    advance(now);
    power_ += by;
  }

  DomainPower finish(Picoseconds end) {
    advance(end);
    if (measured_.samples.empty()) record();
    for (const PowerSample& sample : measured_.samples) measured_.peak = std::max(measured_.peak, sample.power);
    measured_.energy = static_cast<double>(energy_) * (1e-12 / per_watt) * joule;
    measured_.mean = end.count > 0 ? measured_.energy / to_seconds(end) : measured_.peak;
    return std::move(measured_);
  }

 private:
  void advance(Picoseconds now) {
    if (now == since_) return;
    if (measured_.samples.empty() || power_ != recorded_) record();
    energy_ += Int128{power_} * (now - since_).count;
    since_ = now;
  }

  void record() {
    measured_.samples.push_back({since_, static_cast<double>(power_) / per_watt * watt});
    recorded_ = power_;
  }

  DomainPower measured_;
  Picoseconds since_;
  Microwatts power_ = 0;
  Microwatts recorded_ = 0;
  Int128 energy_ = 0;  // microwatts times picoseconds
};

/// Walks all lanes through their ops at once, in time order.
class PowerWalk {
 public:
  PowerWalk(const StepStructure& structure, const StepPrice& price, const ReplayResult& result);
  IndexedVector<PowerDomainId, DomainPower> run();

 private:
  /// What the op at the head of a lane does next.
  enum class Phase : std::uint8_t { start, activate, end };

  struct LaneState {
    OpId op;
    Phase phase = Phase::start;
    Microwatts power = 0;
  };

  struct RankState {
    Microwatts idle = 0;
    Microwatts limit = 0;
    Microwatts ops = 0;
    double dynamic_power = 1;  // of work that goes with the clock, relative to the reference clock

    Microwatts power() const { return std::min(limit, idle + ops); }
  };

  void prepare_ranks();
  Picoseconds next_change(const LaneState& lane) const;
  void advance(LaneId lane);
  void set_power(LaneId lane, Watts power);
  Watts running_power(OpId op) const;

  const StepStructure& structure_;
  const StepPrice& price_;
  const ReplayResult& result_;
  EventQueue<LaneId> changes_;
  Picoseconds now_;
  IndexedVector<LaneId, LaneState> lanes_;
  IndexedVector<RankClassId, RankState> ranks_;
  IndexedVector<PowerDomainId, DomainMeter> meters_;
};

PowerWalk::PowerWalk(const StepStructure& structure, const StepPrice& price, const ReplayResult& result)
    : structure_(structure),
      price_(price),
      result_(result),
      lanes_(structure.lanes.size()),
      meters_(structure.power_domains.size()) {
  prepare_ranks();
  for (std::size_t op = structure.op_count(); op-- > 0;) lanes_[structure.op_lane[OpId(op)]].op = OpId(op);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (lanes_[LaneId(lane)].op.exists()) changes_.push(next_change(lanes_[LaneId(lane)]), LaneId(lane));
}

void PowerWalk::prepare_ranks() {
  for (std::size_t i = 0; i < structure_.ranks.size(); ++i) {
    const RankClassId id(i);
    const RankState rank{to_microwatts(price_.idle_power[id]), to_microwatts(price_.power_limit[id]), 0,
                         std::pow(price_.clock[id], price_.power_clock_exponent)};
    ranks_.push_back(rank);
    meters_[structure_.ranks[id].power_domain].change({0}, rank.power() * structure_.ranks[id].multiplicity);
  }
}

IndexedVector<PowerDomainId, DomainPower> PowerWalk::run() {
  while (!changes_.empty()) {
    const auto change = changes_.pop();
    now_ = change.time;
    advance(change.payload);
  }
  IndexedVector<PowerDomainId, DomainPower> measured;
  for (DomainMeter& meter : meters_) measured.push_back(meter.finish(result_.end));
  return measured;
}

Picoseconds PowerWalk::next_change(const LaneState& lane) const {
  const OpTrace& trace = result_.ops[lane.op];
  if (lane.phase == Phase::start) return trace.start;
  return lane.phase == Phase::activate ? trace.active : trace.end;
}

/// Takes a lane through all its changes at this instant.
void PowerWalk::advance(LaneId id) {
  LaneState& lane = lanes_[id];
  Watts power;
  while (lane.op.exists() && next_change(lane) == now_) {
    if (lane.phase == Phase::end) {
      lane = {structure_.next_in_lane[lane.op], Phase::start, lane.power};
      power = 0 * watt;
    } else if (lane.phase == Phase::start && result_.ops[lane.op].active > now_) {
      lane.phase = Phase::activate;
      power = price_.works[structure_.op_work[lane.op]].waiting_power;
    } else {
      lane.phase = Phase::end;
      power = running_power(lane.op);
    }
  }
  set_power(id, power);
  if (lane.op.exists()) changes_.push(next_change(lane), id);
}

/// The clock's share of the work draws power with the clock and nearly the square of the voltage.
Watts PowerWalk::running_power(OpId op) const {
  const WorkPrice& work = price_.works[structure_.op_work[op]];
  const RankState& rank = ranks_[structure_.lanes[structure_.op_lane[op]].rank];
  if (rank.dynamic_power == 1) return work.power;
  return work.power * (work.clock_share * rank.dynamic_power + 1 - work.clock_share);
}

void PowerWalk::set_power(LaneId id, Watts power) {
  LaneState& lane = lanes_[id];
  RankState& rank = ranks_[structure_.lanes[id].rank];
  const RankClass& rank_class = structure_.ranks[structure_.lanes[id].rank];
  const Microwatts before = rank.power();
  const Microwatts new_power = to_microwatts(power);
  rank.ops += new_power - lane.power;
  lane.power = new_power;
  if (rank.power() != before)
    meters_[rank_class.power_domain].change(now_, (rank.power() - before) * rank_class.multiplicity);
}

}  // namespace

IndexedVector<PowerDomainId, DomainPower> meter_power(const StepStructure& structure, const StepPrice& price,
                                                      const ReplayResult& result) {
  return PowerWalk(structure, price, result).run();
}

}  // namespace clusterwright
