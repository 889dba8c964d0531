// SPDX-License-Identifier: Apache-2.0
/// Lowers a step, replays it and settles the clocks that power allows.
#pragma once

#include "models/lowering/lowering.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "sim/breakdown.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

struct StepSimulation {
  StepGraph graph;  ///< with the settled clocks in its timing
  ReplayResult result;
  Breakdown breakdown;
};

/// Every op of the step, at the clocks that power allows (clock_settling.hpp).
StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding = Folding::folded);

/// The same of a graph that was lowered already.
StepSimulation simulate_graph(StepGraph graph);

/// Replays the graph at its present clocks and charges the time. @param replayer  of the step's structure
void replay_step(StepSimulation& step, Replayer& replayer);

/// What a prediction reads from a step.
struct StepSummary {
  Picoseconds end;
  std::vector<Seconds> breakdown;  ///< mean over ranks, indexed by StepCharge; sums to `end`
  Joules energy;                   ///< of all nodes of the job
  Watts mean_power;
  Watts peak_power;  ///< largest instant
  PowerWave wave;    ///< behind the filter of power supplies
};

StepSummary summarise(const StepSimulation& step);

}  // namespace clusterwright
