// SPDX-License-Identifier: Apache-2.0
/// Steps with many micro-batches, from a few that are short.
///
/// Once a pipeline has filled, every further `period` micro-batches cost what the ones before them did: a longer step
/// is a shorter one with more periods in its middle. What is special about the first micro-batches (gathered
/// parameters, warm-up) and the last (reduced gradients, cool-down, optimizer) both have once.
#pragma once

#include <vector>

#include "models/plan/plan.hpp"
#include "models/prediction/step_simulation.hpp"

namespace clusterwright {

/// Changes from a step to one that has a period of micro-batches more. Zero if the state of the shorter one in its last
/// micro-batches comes back in the longer one; then it comes back in all that are longer still.
struct StepDrift {
  /// Largest change in how long before the end of the step an op ends, counting ops from the end of their lanes. What
  /// drifts may at some time overtake something else and delay it, by no more than it has drifted.
  Seconds ops;
  /// By how far the host of a rank would be late after all repeats, where it falls back towards its device.
  Seconds host;
};

/// @param micro_batches  compared at the end of each lane
/// @param repeats        periods by which `longer` will be continued
/// @pre both are steps of one plan, `longer` by `period` micro-batches, at the same clocks
StepDrift step_drift(const StepSimulation& shorter, const StepSimulation& longer, int period, int micro_batches,
                     double repeats);

/// What `summarise(simulate_step(scenario, plan))` gives, at the cost of a few periods of micro-batches where the step
/// repeats itself; the full step where it does not, or is hardly longer.
///
/// Everything is extrapolated linearly in micro-batches, in whole picoseconds: breakdowns add up to the step exactly.
/// Clocks are those that the whole step settles at.
/// @throws ConfigError E0502 if the step would take longer than can be simulated
StepSummary summarise_step(const Scenario& scenario, const Plan& plan);

/// A step of `micro_batches` and one of `period` more stand for a longer one.
struct ShortenedStep {
  int micro_batches = 0;
  int period = 1;
};

/// What to try for the plan, in this order; empty where the full step is hardly dearer.
///
/// 1F1B and plain accumulation repeat themselves with every micro-batch, but for messages that tie several together: at
/// most as many as there are stages, so the last so many are compared. Interleaved schedules go in their groups,
/// DualPipe in pairs. What the warm-up leaves behind has mostly decayed after one and a half rounds of 1F1B, and after
/// two when interleaved.
std::vector<ShortenedStep> shortened_steps(const Plan& plan);

}  // namespace clusterwright
