// SPDX-License-Identifier: Apache-2.0
#include "models/settling/step_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/clock_search.hpp"
#include "models/settling/device_work.hpp"
#include "models/settling/tensor_step.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

StepView::StepView(const StepSimulation& step)
    : StepView(step.graph.structure, step.graph.timing, step.result, step.breakdown) {}

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
  while (!search.settled(step.graph.timing, governed_times(step)));
  return step;
}

namespace {

/// Largest mean power: governors hold it, and ranks exceed their limits for the length of a kernel only.
Watts sum_of_limits(const StepStructure& structure, const StepTiming& timing) {
  Watts sum;
  for (const RankClassId rank : structure.ranks.ids())
    sum += timing.power_limit[rank] * structure.ranks[rank].multiplicity;
  return sum;
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
  const bool beyond = std::ranges::any_of(governed_times(step), &GovernedTime::beyond);
  return governed({time_of(step), all.energy, all.mean, all.peak, wave, beyond}, step.structure, step.timing);
}

StepSummary governed(StepSummary summary, const StepStructure& structure, const StepTiming& timing) {
  const Watts limit = sum_of_limits(structure, timing);
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
