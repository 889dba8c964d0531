/// Lowers a step, replays it and settles the clocks that power allows.
#pragma once

#include "models/lowering.hpp"
#include "sim/breakdown.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

struct StepSimulation {
  StepGraph graph;  ///< with the settled clocks in its price
  ReplayResult result;
  Breakdown breakdown;
};

/// The governor of a device averages over tens of milliseconds: much more than a kernel, much less than a pipeline's
/// warm-up. So each rank class runs at the clock at which its mean power outside bubbles meets the rated power, found
/// by re-pricing the step until clock and power agree.
StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding = Folding::folded);

}  // namespace clusterwright
