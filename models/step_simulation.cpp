#include "models/step_simulation.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

constexpr int most_rounds = 5;
constexpr double clock_tolerance = 2e-3;
constexpr double lowest_clock = 0.3;

/// What one rank class spends above idle outside bubbles, as a function of its clock c.
///
/// An op whose share s of time and power follows the clock takes d (s/c + 1 - s) and draws P (s c^e + 1 - s). Sums of
/// the products over the ops of the class are all that is needed to find the clock without another replay.
struct ClockDemand {
  double clocked = 0;       // sum of P d s^2
  double crossed = 0;       // sum of P d s (1 - s)
  double fixed = 0;         // sum of P d (1 - s)^2, transfers and waits
  double clocked_time = 0;  // sum of d s on the compute lane
  double busy = 0;          // time outside bubbles at the present clock
  double clock = 1;         // present clock

  double mean_power(double c, double exponent) const {
    const double joules = clocked * std::pow(c, exponent - 1) + crossed * (1 / c + std::pow(c, exponent)) + fixed;
    return joules / (busy + clocked_time * (1 / c - 1 / clock));
  }
};

void add_op(ClockDemand& demand, const WorkPrice& work, const OpTrace& trace, LaneKind lane) {
  const double watts = work.power.in(watt);
  if (lane != LaneKind::compute) {
    demand.fixed += watts * to_seconds(trace.end - trace.active).in(second);
    demand.fixed += work.waiting_power.in(watt)*to_seconds(trace.active - trace.start).in(second);
    return;
  }
  const double time = to_seconds(work.duration).in(second);
  const double share = work.clock_share;
  demand.clocked += watts * time * share * share;
  demand.crossed += watts * time * share * (1 - share);
  demand.fixed += watts * time * (1 - share) * (1 - share);
  demand.clocked_time += time * share;
}

std::vector<ClockDemand> clock_demands(const StepSimulation& step) {
  const StepStructure& s = step.graph.structure;
  std::vector<ClockDemand> demands(s.ranks.size());
  for (std::size_t i = 0; i < s.op_count(); ++i) {
    const OpId op(i);
    const Lane& lane = s.lanes[s.op_lane[op]];
    add_op(demands[lane.rank.value], step.graph.price.works[s.op_work[op]], step.result.ops[op], lane.kind);
  }
  for (std::size_t r = 0; r < demands.size(); ++r) {
    const ChargedTime& charged = step.breakdown.by_rank[RankClassId(r)];
    const Picoseconds bubble = charged[static_cast<std::size_t>(StepCharge::bubble)];
    demands[r].busy = std::max(1e-12, to_seconds(step.result.end - bubble).in(second));
    demands[r].clock = step.graph.price.clock[RankClassId(r)];
  }
  return demands;
}

/// The highest clock at which the mean stays within what the limit leaves above idle.
double allowed_clock(const ClockDemand& demand, double headroom, double exponent) {
  if (demand.mean_power(1, exponent) <= headroom) return 1;
  double low = lowest_clock, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (demand.mean_power(middle, exponent) <= headroom ? low : high) = middle;
  }
  return low;
}

/// @return largest change of a clock
double settle_clocks(StepPrice& price, const std::vector<ClockDemand>& demands) {
  double change = 0;
  for (std::size_t r = 0; r < demands.size(); ++r) {
    const RankClassId rank(r);
    const double headroom = (price.power_limit[rank] - price.idle_power[rank]).in(watt);
    const double clock =
        std::min(price.highest_clock[rank], allowed_clock(demands[r], headroom, price.power_clock_exponent));
    change = std::max(change, std::abs(clock - price.clock[rank]));
    price.clock[rank] = clock;
  }
  return change;
}

}  // namespace

StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  StepSimulation step{lower_training_step(scenario, plan, folding), {}, {}};
  for (int round = 0; round < most_rounds; ++round) {
    step.result = replay(step.graph.structure, step.graph.price);
    step.breakdown = charge_time(step.graph.structure, step.graph.price, step.result);
    if (settle_clocks(step.graph.price, clock_demands(step)) < clock_tolerance) break;
  }
  return step;
}

}  // namespace clusterwright
