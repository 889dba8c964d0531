// SPDX-License-Identifier: Apache-2.0
/// Steps with many micro-batches, continued from two short ones.
///
/// Once a pipeline has filled, every further `period` micro-batches take the time of the ones before them, so a longer
/// step is a shorter one with more periods in its middle. Both have the special first micro-batches (gathered
/// parameters, warm-up) and the special last ones (reduced gradients, cool-down, optimizer) once.
#pragma once

#include <vector>

#include "models/plan/plan.hpp"
#include "models/prediction/step_simulation.hpp"

namespace clusterwright {

/// Differences between a step and the same step with one more period of micro-batches. They are zero if the longer step
/// reaches the state of the shorter one in its last micro-batches. All longer steps then reach it too.
struct StepDrift {
  /// Largest change of the time from the end of an op to the end of the step, with ops counted from the end of their
  /// lanes. A drifting op may overtake another one at some time and delay it, by no more than it has drifted.
  Seconds ops;
  /// Largest delay by the host of a rank after all repeats, if it falls back towards its device.
  Seconds host;
};

/// Drift between two replayed steps.
/// @param micro_batches  number of micro-batches that are compared at the end of each lane
/// @param repeats        number of periods by which `longer` will be continued
/// @pre both are steps of one plan, `longer` by `period` micro-batches, at the same clocks
StepDrift step_drift(const StepSimulation& shorter, const StepSimulation& longer, int period, int micro_batches,
                     double repeats);

/// Result of `summarise(simulate_step(scenario, plan))` from two short replays if the step repeats itself; from the
/// full step if it does not, or is hardly longer.
///
/// Times are continued linearly in whole picoseconds, so breakdowns sum to the step exactly. Clocks are those that the
/// whole step settles at.
/// @throws ConfigError E0502 if the step would take longer than can be simulated
StepSummary summarise_step(const Scenario& scenario, const Plan& plan);

/// Lengths of the two steps that a longer one is continued from: `micro_batches`, and `period` more.
struct ShortenedStep {
  int micro_batches = 0;
  int period = 1;
};

/// Lengths to try for the plan, in this order; empty if the full step is hardly longer.
///
/// 1F1B and plain accumulation repeat themselves with every micro-batch, except for messages that tie at most as many
/// micro-batches together as there are stages, so that many of the last ones are compared. Interleaved schedules repeat
/// with their groups, DualPipe with pairs. The effect of the warm-up has mostly decayed after one and a half rounds of
/// 1F1B, and after two when interleaved.
std::vector<ShortenedStep> shortened_steps(const Plan& plan);

}  // namespace clusterwright
