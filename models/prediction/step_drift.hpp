// SPDX-License-Identifier: Apache-2.0
/// Whether a step has come to repeat itself, seen in two simulations of different length.
#pragma once

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

}  // namespace clusterwright
