// SPDX-License-Identifier: Apache-2.0
/// What changes the power of a load on its way to the grid: smoothing by firmware, filler work, supplies, storage.
///
/// Each works on samples in order of time and begins as if the mean had gone on for ever.
#pragma once

#include "models/site/wave/wave_signal.hpp"
#include "topology/cluster/stabilization_spec.hpp"

namespace clusterwright {

/// Accelerator whose power is held up.
struct HeldAccelerator {
  Watts idle, limit;
};

/// What a measure costs, for one accelerator over a signal.
struct MeasurePrice {
  Joules added;    ///< burnt beyond what work draws
  Joules delayed;  ///< work that could not run when it was ready
};

/// While work runs, and for the hold time behind it, power stays at the floor or above. It rises no faster than the
/// ramp, for which work waits, and falls below the floor no faster than the other ramp. Work is what draws more than a
/// tenth of the way from idle to the limit.
MeasurePrice smooth(PowerSignal& signal, const PowerSmoothingSpec& smoothing, const HeldAccelerator& accelerator);

/// Filler runs at the floor where power has stayed below it for the reaction time, and as long into the work behind.
MeasurePrice fill(PowerSignal& signal, const FillerSpec& filler, const HeldAccelerator& accelerator);

/// First-order filter of power supplies.
void filter(PowerSignal& signal, Seconds time_constant);

/// Storage of one place.
struct StorageModule {
  Joules energy;
  Watts power;
  double efficiency = 1;  ///< there and back
};

/// What a storage did. in = out + stored + lost, with in and out the sums of the load from above and below.
struct StorageUse {
  Joules lost;         ///< in conversion
  Joules stored;       ///< more at the end than at the begin
  Joules least, most;  ///< content
};

/// The sum of load and storage follows a first-order filter of the load, and never leaves the range of the load. The
/// time constant is the energy over the swing, so that a step of the whole swing just fits: a storage is full where the
/// load is lowest and empty where it is highest, and returns to that line ten times slower.
StorageUse store(PowerSignal& signal, const StorageModule& module);

}  // namespace clusterwright
