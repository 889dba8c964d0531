// SPDX-License-Identifier: Apache-2.0
/// Steps with many micro-batches, continued from two short ones.
///
/// Once a pipeline has filled, every further `period` micro-batches take the time of the ones before them, so a longer
/// step is a shorter one with more periods in its middle. Both have the special first micro-batches (gathered
/// parameters, warm-up) and the special last ones (reduced gradients, cool-down, optimizer) once.
#pragma once

#include <memory>
#include <vector>

#include "models/plan/plan.hpp"
#include "models/settling/retimed_step.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

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
/// 1F1B, and after two when interleaved. The last try has long periods, for steps that fill slowly or repeat themselves
/// on average only.
std::vector<ShortenedStep> shortened_steps(const Plan& plan);

/// A step that was replayed until its clocks settled.
class SettledStep {
 public:
  virtual ~SettledStep() = default;
  virtual StepTime time() const = 0;
  virtual StepSummary summary() const = 0;
};

/// The whole step continued from two short ones; nothing if it does not repeat itself yet.
///
/// Times are continued linearly in whole picoseconds, so breakdowns sum to the step exactly. Clocks are those that the
/// whole step settles at.
/// @param steps   steps of the plan; must outlive the result, and be asked for no other scenario meanwhile
/// @param clocks  clocks to begin at, none yet if empty; then those of the longer of the two steps
/// @param of_interest  a step that ends far later at the highest clocks, where none are given, is taken as it is: its
///                     clocks do not settle, and no third step confirms it
std::unique_ptr<SettledStep> continued_step(StepLengths& steps, const ShortenedStep& few, Clocks& clocks,
                                            Picoseconds of_interest);

/// The whole step. @param steps, clocks  as for continued_step
/// @param of_interest  a step that ends no sooner at the clocks to begin at is not settled
std::unique_ptr<SettledStep> full_step(StepLengths& steps, Clocks& clocks, Picoseconds of_interest);

}  // namespace clusterwright
