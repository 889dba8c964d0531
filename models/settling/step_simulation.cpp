// SPDX-License-Identifier: Apache-2.0
#include "models/settling/step_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/clock_search.hpp"
#include "models/settling/tensor_step.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

void add_op(ClockDemand& demand, const WorkTiming& work, const OpTrace& trace) {
  demand.fixed += work.power.in(watt)*to_seconds(trace.end - trace.active).in(second);
  demand.fixed += work.waiting_power.in(watt)*to_seconds(trace.active - trace.start).in(second);
}

void add_kernels(ClockDemand& demand, const WorkTiming& work, std::uint64_t count) {
  const double watts = work.power.in(watt);
  const double time = static_cast<double>(count) * to_seconds(work.duration).in(second);
  demand.add(watts * time, work.clock_share);
  demand.clocked_time += time * work.clock_share;
}

}  // namespace

double ClockDemand::mean_power(double c, double exponent) const {
  return at(c, exponent) / (busy + clocked_time * (1 / c - 1 / clock));
}

double allowed_clock(const ClockDemand& demand, double headroom, double exponent) {
  if (demand.mean_power(1, exponent) <= headroom) return 1;
  double low = lowest_clock, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (demand.mean_power(middle, exponent) <= headroom ? low : high) = middle;
  }
  return low;
}

IndexedVector<RankClassId, ClockDemand> clock_demands(const StepView& step) {
  const StepStructure& s = step.structure;
  IndexedVector<RankClassId, ClockDemand> demands(s.ranks.size());
  for_each_work(s, [&](const StepWork& work) {
    ClockDemand& demand = demands[work.rank];
    const WorkTiming& timing = step.timing.works[work.work];
    if (work.lane == LaneKind::compute)
      add_kernels(demand, timing, work.count);
    else if (work.op.exists())
      add_op(demand, timing, step.result.ops[work.op]);
    else  // collectives inside passes meet no others
      demand.fixed += timing.power.in(watt) * static_cast<double>(work.count) *
                      to_seconds(time_alone(s, step.timing, work.chain)).in(second);
  });
  for (const RankClassId rank : demands.ids()) {
    const Picoseconds idle = step.breakdown.by_rank[rank][static_cast<std::size_t>(StepCharge::bubble)];
    demands[rank].busy = std::max(1e-12, to_seconds(step.result.end - idle).in(second));
    demands[rank].clock = step.timing.clock[rank];
  }
  return demands;
}

void replay_step(StepSimulation& step, Replayer& replayer) {
  step.result = replayer.run(step.graph.timing, std::move(step.result));
  if (&replayer.structure() != &step.graph.structure) throw std::logic_error("replay_step: passes are not closed");
  step.breakdown = charge_time(step.graph.structure, step.graph.timing, step.result);
}

StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  StepSimulation step = simulate_graph(lower_training_step(scenario, plan, folding));
  if (folding != Folding::unfolded || plan.tensor == 1) return step;
  if (stays_in_step(step.graph.structure, step.result, plan.tensor)) return step;
  return simulate_graph(lower_training_step(scenario, plan, Folding::apart));
}

StepSimulation simulate_graph(StepGraph graph) {
  graph.structure = with_closed_passes(std::move(graph.structure), graph.timing);
  StepSimulation step{std::move(graph), {}, {}};
  Replayer replayer(step.graph.structure);
  ClockSearch search;
  do replay_step(step, replayer);
  while (!search.settled(step.graph.timing, clock_demands(step)));
  return step;
}

namespace {

/// Time constant of the bulk capacitors of a server's power supply; estimates run from 20 to 50 ms.
constexpr Seconds supply_time_constant = 30 * millisecond;

/// Largest mean power: governors hold it, and ranks exceed their limits for the length of a kernel only.
Watts sum_of_limits(const StepStructure& structure, const StepTiming& timing) {
  Watts sum;
  for (const RankClassId rank : structure.ranks.ids())
    sum += timing.power_limit[rank] * structure.ranks[rank].multiplicity;
  return sum;
}

bool at_lowest_clock(const StepTiming& timing) {
  constexpr double above_search = 1 + 1e-6;
  return std::ranges::any_of(timing.clock.ids(), [&](RankClassId rank) {
    return timing.control[rank].governed &&
           timing.clock[rank] <= above_search * lowest_clock * timing.relative_clock[rank];
  });
}

bool several_kinds(const StepStructure& structure) {
  return std::ranges::any_of(structure.ranks, [](const RankClass& rank) { return rank.kind > 0; });
}

std::vector<CappedClock> capped_clocks(const StepTiming& timing) {
  std::vector<CappedClock> out;
  for (const RankClassId rank : timing.highest_clock.ids())
    if (timing.highest_clock[rank] < 1)
      out.push_back({timing.highest_clock[rank], timing.clock[rank] / timing.relative_clock[rank]});
  return out;
}

}  // namespace

std::vector<Seconds> busy_by_kind(const StepStructure& structure, const Breakdown& breakdown) {
  std::vector<Seconds> busy;
  std::vector<double> ranks;
  for (const RankClassId c : structure.ranks.ids()) {
    const RankClass& rank = structure.ranks[c];
    busy.resize(std::max<std::size_t>(busy.size(), rank.kind + 1));
    ranks.resize(busy.size());
    ranks[rank.kind] += rank.multiplicity;
    for (std::size_t charge = 0; charge < step_charge_count; ++charge)
      if (const ChargeKind kind = kind_of(static_cast<StepCharge>(charge));
          kind == ChargeKind::compute || kind == ChargeKind::streaming)
        busy[rank.kind] += static_cast<double>(rank.multiplicity) * to_seconds(breakdown.by_rank[c][charge]);
  }
  for (std::size_t kind = 0; kind < busy.size(); ++kind)
    if (ranks[kind] > 0) busy[kind] = busy[kind] / ranks[kind];
  return busy;
}

StepTime time_of(const StepView& step) {
  StepTime out{step.result.end, step.breakdown.mean, capped_clocks(step.timing)};
  if (several_kinds(step.structure)) out.busy = busy_by_kind(step.structure, step.breakdown);
  return out;
}

StepSummary summarise(const StepView& step) {
  const auto domains = meter_power(step.structure, step.timing, step.result);
  const DomainPower& all = domains[PowerDomainId(0)];
  const PowerWave wave = smoothed_wave(all, step.result.end, supply_time_constant);
  return governed({time_of(step), all.energy, all.mean, all.peak, wave}, step.structure, step.timing);
}

StepSummary governed(StepSummary summary, const StepStructure& structure, const StepTiming& timing) {
  const Watts limit = sum_of_limits(structure, timing);
  summary.beyond_limit = summary.mean_power > limit && at_lowest_clock(timing);
  if (summary.mean_power > limit && !summary.beyond_limit) {
    summary.mean_power = limit;
    summary.energy = limit * to_seconds(summary.end);
  }
  summary.wave.low = std::min(summary.wave.low, summary.mean_power);
  summary.wave.high = std::max(summary.wave.high, summary.mean_power);
  summary.peak_power = std::max(summary.peak_power, summary.wave.high);
  return summary;
}

}  // namespace clusterwright
