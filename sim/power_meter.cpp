// SPDX-License-Identifier: Apache-2.0
#include "sim/power_meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/clocked_power.hpp"
#include "sim/pass_power.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright {
namespace {

constexpr double per_watt = 1e6;

Microwatts to_microwatts(Watts power) {
  constexpr Watts beyond_any_rank = 1e6 * megawatt;
  return std::llround(std::min(power, beyond_any_rank).in(watt)*per_watt);
}

/// Integral of the power of one domain, change by change.
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
  Int128 energy_ = 0;  // in microwatts times picoseconds
};

/// Energy of one rank, slot by slot.
class SlotMeter {
 public:
  SlotMeter(Picoseconds slot, Picoseconds end) : slot_(slot), until_(std::min(slot, end)), end_(end) {}

  void change(Picoseconds now, Microwatts by) {
    advance(now);
    power_ += by;
  }

  std::vector<double> finish() {
    advance(end_);
    if (since_ > closed_) joules_.push_back(energy_);
    return std::move(joules_);
  }

 private:
  void advance(Picoseconds now) {
    now = std::min(now, end_);
    while (since_ < now) {
      const Picoseconds to = std::min(now, until_);
      energy_ += static_cast<double>(power_) * static_cast<double>((to - since_).count) * (1e-12 / per_watt);
      since_ = to;
      if (to < until_) return;
      joules_.push_back(energy_);
      closed_ = to;
      until_ = std::min(until_ + slot_, end_);
    }
  }

  Picoseconds slot_, until_, end_;
  Picoseconds since_, closed_;
  Microwatts power_ = 0;
  double energy_ = 0;
  std::vector<double> joules_ = {0};
};

/// Meter of a rank class, and how often its rank counts there.
struct MeterOfRank {
  std::size_t meter = 0;
  std::int64_t times = 1;
};

/// Ranks in order of their next change: a heap, because a change mostly moves the first rank a little back.
class NextChanges {
 public:
  void add(RankClassId rank) { heap_.push_back({{0}, rank}); }
  bool empty() const { return heap_.empty(); }
  Picoseconds time() const { return heap_.front().time; }
  RankClassId rank() const { return heap_.front().rank; }

  /// The first rank changes again at `time`, not before now.
  void postpone(Picoseconds time) { sink({time, heap_.front().rank}); }
  /// The first rank never changes again.
  void drop() {
    const Change last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }

 private:
  struct Change {
    Picoseconds time;
    RankClassId rank;
  };

  /// Puts `change` at the top and moves it down to its place.
  void sink(Change change) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1].time < heap_[child].time) ++child;
      if (change.time <= heap_[child].time) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = change;
  }

  std::vector<Change> heap_;
};

/// Walks all ranks through their ops at once, in time order, and tells meters of every change.
template <class Meter>
class PowerWalk {
 public:
  /// @param routes  a meter for each rank class
  PowerWalk(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result,
            IndexedVector<RankClassId, MeterOfRank> routes, std::vector<Meter> meters);
  /// The meters, which have seen the step.
  std::vector<Meter> run();

 private:
  static constexpr Picoseconds never{std::numeric_limits<std::int64_t>::max()};

  /// What the op at the head of a lane does next; inside a pass, its power changes.
  enum class Phase : std::uint8_t { start, activate, inside, end };

  struct LaneState {
    OpId op;
    Phase phase = Phase::start;
    Picoseconds next_change = never;
    Microwatts power = 0;
    PassPower pass;         // of a pass
    std::size_t point = 0;  // next one of it
  };

  struct RankState {
    Microwatts idle = 0;
    Microwatts limit = 0;
    Microwatts ops = 0;
    std::size_t powers = 0;  // begin of the powers at its clock in running_
    std::vector<LaneState> lanes;

    Microwatts power() const { return std::min(limit, idle + ops); }
  };

  void prepare_ranks();
  std::size_t powers_at(double clock, const VoltageCurve& voltage);
  void prepare_lanes();
  void tell(RankClassId rank, Picoseconds now, Microwatts by) {
    meters_[routes_[rank].meter].change(now, by * routes_[rank].times);
  }
  Picoseconds next_change(const LaneState& lane) const;
  void advance(RankClassId rank);
  void advance(RankState& rank, LaneState& lane);
  Microwatts running_power(const RankState& rank, OpId op) const;
  void advance_pass(const RankState& rank, LaneState& lane);

  const StepStructure& structure_;
  const StepTiming& timing_;
  const ReplayResult& result_;
  NextChanges changes_;
  Picoseconds now_;
  IndexedVector<RankClassId, RankState> ranks_;
  PassPowers pass_powers_;
  IndexedVector<WorkId, Microwatts> waiting_;            // power while waiting for partners
  std::vector<std::pair<double, VoltageCurve>> clocks_;  // distinct clocks of the ranks, with what power does there
  std::vector<Microwatts> running_;                      // power of each work at each clock
  IndexedVector<RankClassId, MeterOfRank> routes_;
  std::vector<Meter> meters_;
};

template <class Meter>
PowerWalk<Meter>::PowerWalk(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result,
                            IndexedVector<RankClassId, MeterOfRank> routes, std::vector<Meter> meters)
    : structure_(structure),
      timing_(timing),
      result_(result),
      pass_powers_(structure, timing, result),
      routes_(std::move(routes)),
      meters_(std::move(meters)) {
  for (const WorkTiming& work : timing.works) waiting_.push_back(to_microwatts(work.waiting_power));
  prepare_ranks();
  prepare_lanes();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) changes_.add(RankClassId(rank));
}

template <class Meter>
void PowerWalk<Meter>::prepare_ranks() {
  for (std::size_t i = 0; i < structure_.ranks.size(); ++i) {
    const RankClassId id(i);
    RankState rank{to_microwatts(timing_.idle_power[id]),
                   to_microwatts(timing_.idle_power[id] + (timing_.power_limit[id] - timing_.idle_power[id]) *
                                                              timing_.control[id].short_term_power),
                   0,
                   powers_at(timing_.clock[id], timing_.control[id].voltage),
                   {}};
    tell(id, {0}, rank.power());
    ranks_.push_back(std::move(rank));
  }
}

/// Powers of all works at a clock, computed once for all ranks that run at it. @return where they begin
template <class Meter>
std::size_t PowerWalk<Meter>::powers_at(double clock, const VoltageCurve& voltage) {
  const std::pair at{clock, voltage};
  const auto known = std::find(clocks_.begin(), clocks_.end(), at);
  const auto begin = static_cast<std::size_t>(known - clocks_.begin()) * timing_.works.size();
  if (known != clocks_.end()) return begin;
  clocks_.push_back(at);
  const ClockedPower relative(clock, voltage);
  for (const WorkTiming& work : timing_.works)
    running_.push_back(to_microwatts(work.power * relative.of(work.clock_share)));
  return begin;
}

template <class Meter>
void PowerWalk<Meter>::prepare_lanes() {
  IndexedVector<LaneId, OpId> heads(structure_.lanes.size());
  for (std::size_t op = structure_.op_count(); op-- > 0;) heads[structure_.op_lane[OpId(op)]] = OpId(op);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    LaneState lane;
    lane.op = heads[LaneId(i)];
    lane.next_change = next_change(lane);
    ranks_[structure_.lanes[LaneId(i)].rank].lanes.push_back(lane);
  }
}

template <class Meter>
std::vector<Meter> PowerWalk<Meter>::run() {
  while (!changes_.empty()) {
    now_ = changes_.time();
    advance(changes_.rank());
  }
  return std::move(meters_);
}

template <class Meter>
Picoseconds PowerWalk<Meter>::next_change(const LaneState& lane) const {
  if (!lane.op.exists()) return never;
  const OpTrace& trace = result_.ops[lane.op];
  if (lane.phase == Phase::start) return trace.start;
  if (lane.phase == Phase::inside) return lane.pass.from + (*lane.pass.points)[lane.point].at;
  return lane.phase == Phase::activate ? trace.active : trace.end;
}

/// Takes all lanes of a rank through their changes at this instant; the meter sees only the sum.
template <class Meter>
void PowerWalk<Meter>::advance(RankClassId id) {
  RankState& rank = ranks_[id];
  const Microwatts before = rank.power();
  Picoseconds next = never;
  for (LaneState& lane : rank.lanes) {
    if (lane.next_change == now_) advance(rank, lane);
    next = std::min(next, lane.next_change);
  }
  if (rank.power() != before) tell(id, now_, rank.power() - before);
  if (next == never)
    changes_.drop();
  else
    changes_.postpone(next);
}

template <class Meter>
void PowerWalk<Meter>::advance(RankState& rank, LaneState& lane) {
  rank.ops -= lane.power;
  while (lane.next_change == now_) {
    if (lane.phase == Phase::end) {
      lane.op = structure_.next_in_lane[lane.op];
      lane.phase = Phase::start;
      lane.power = 0;
      lane.point = 0;
    } else if (structure_.op_pass[lane.op].exists()) {
      advance_pass(rank, lane);
    } else if (lane.phase == Phase::start && result_.ops[lane.op].active > now_) {
      lane.phase = Phase::activate;
      lane.power = waiting_[structure_.op_work[lane.op]];
    } else {
      lane.phase = Phase::end;
      lane.power = running_power(rank, lane.op);
    }
    lane.next_change = next_change(lane);
  }
  rank.ops += lane.power;
}

template <class Meter>
Microwatts PowerWalk<Meter>::running_power(const RankState& rank, OpId op) const {
  const Microwatts alone = running_[rank.powers + structure_.op_work[op].value];
  if (structure_.lanes[structure_.op_lane[op]].kind != LaneKind::compute) return alone;
  const OpTrace& trace = result_.ops[op];
  return slowed_power(alone, trace.unshared, trace.end - trace.active);
}

/// The last point of a pass is its end.
template <class Meter>
void PowerWalk<Meter>::advance_pass(const RankState& rank, LaneState& lane) {
  if (lane.phase == Phase::start) lane.pass = pass_powers_.of(lane.op, std::span(running_).subspan(rank.powers));
  lane.power = (*lane.pass.points)[lane.point++].power;
  lane.phase = lane.point < lane.pass.points->size() ? Phase::inside : Phase::end;
}

}  // namespace

IndexedVector<PowerDomainId, DomainPower> meter_power(const StepStructure& structure, const StepTiming& timing,
                                                      const ReplayResult& result) {
  IndexedVector<RankClassId, MeterOfRank> routes;
  for (const RankClass& rank : structure.ranks) routes.push_back({rank.power_domain.value, rank.multiplicity});
  std::vector<DomainMeter> meters(structure.power_domains.size());
  IndexedVector<PowerDomainId, DomainPower> measured;
  for (DomainMeter& done : PowerWalk(structure, timing, result, std::move(routes), std::move(meters)).run())
    measured.push_back(done.finish(result.end));
  return measured;
}

RankEnergy meter_ranks(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result,
                       Picoseconds slot) {
  IndexedVector<RankClassId, MeterOfRank> routes;
  std::vector<SlotMeter> meters;
  for (const RankClassId rank : structure.ranks.ids()) {
    routes.push_back({rank.value, 1});
    meters.emplace_back(slot, result.end);
  }
  RankEnergy out{slot, result.end, {}};
  for (SlotMeter& done : PowerWalk(structure, timing, result, std::move(routes), std::move(meters)).run())
    out.joules.push_back(done.finish());
  return out;
}

double RankEnergy::until(RankClassId rank, double seconds) const {
  const std::vector<double>& at = joules[rank];
  const double slots = seconds / to_seconds(slot).in(second);
  const auto before = std::min(static_cast<std::size_t>(std::max(0.0, slots)), at.size() - 2);
  const double from = static_cast<double>(before) * to_seconds(slot).in(second);
  const double to = std::min(from + to_seconds(slot).in(second), to_seconds(end).in(second));
  const double part = std::clamp((seconds - from) / (to - from), 0.0, 1.0);
  return at[before] + part * (at[before + 1] - at[before]);
}

}  // namespace clusterwright
