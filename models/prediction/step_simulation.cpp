// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_simulation.hpp"

#include <algorithm>
#include <utility>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/clock_settling.hpp"

namespace clusterwright {

void replay_step(StepSimulation& step, Replayer& replayer) {
  step.result = replayer.run(step.graph.timing, std::move(step.result));
  step.breakdown = charge_time(step.graph.structure, step.graph.timing, step.result);
}

StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  return simulate_graph(lower_training_step(scenario, plan, folding));
}

StepSimulation simulate_graph(StepGraph graph) {
  StepSimulation step{std::move(graph), {}, {}};
  const ChargeId bubble(static_cast<std::size_t>(StepCharge::bubble));
  Replayer replayer(step.graph.structure);
  for (int round = 0; round < most_clock_rounds; ++round) {
    replay_step(step, replayer);
    const auto demands = clock_demands(step.graph, step.result, step.breakdown, bubble);
    if (settle_clocks(step.graph.timing, demands) < clock_tolerance) break;
  }
  return step;
}

namespace {

/// Of the bulk capacitors of a server's power supply; estimates run from 20 to 50 ms.
constexpr Seconds supply_time_constant = 30 * millisecond;

/// What supplies see at most: what ranks draw beyond their limits is shorter than what capacitors bridge.
Watts governed_power(const StepGraph& graph) {
  Watts sum;
  for (const RankClassId rank : graph.structure.ranks.ids())
    sum += graph.timing.power_limit[rank] * graph.structure.ranks[rank].multiplicity;
  return sum;
}

}  // namespace

StepSummary summarise(const StepSimulation& step) {
  const auto domains = meter_power(step.graph.structure, step.graph.timing, step.result);
  const DomainPower& all = domains[PowerDomainId(0)];
  return {step.result.end,
          step.breakdown.mean,
          all.energy,
          all.mean,
          std::max(all.mean, std::min(all.peak, governed_power(step.graph))),
          smoothed_wave(all, step.result.end, supply_time_constant)};
}

}  // namespace clusterwright
