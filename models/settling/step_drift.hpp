// SPDX-License-Identifier: Apache-2.0
/// Whether a step repeats itself: how much a period more changes its last micro-batches.
#pragma once

#include "models/settling/step_simulation.hpp"
#include "sim/quantity.hpp"

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
/// @param micro_batches  number of micro-batches that are compared at the end of each lane, with what comes behind them
/// @param repeats        number of periods by which `longer` will be continued
/// @pre both are steps of one plan, `longer` by `period` micro-batches, at the same clocks
StepDrift step_drift(const StepView& shorter, const StepView& longer, int period, int micro_batches, double repeats);

}  // namespace clusterwright
