// SPDX-License-Identifier: Apache-2.0
/// What holds the swings of a cluster's power down, as users write it in a facility.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Firmware of an accelerator that burns power where work draws less than a floor, and bounds how fast power changes.
struct PowerSmoothingSpec {
  double floor = 0;                 ///< share of the power limit of the accelerator
  std::optional<double> ramp_up;    ///< watts per second; work waits for it. Not bounded if absent
  std::optional<double> ramp_down;  ///< watts per second below the floor, once work has stopped
  Seconds hold = 1 * second;        ///< the floor stays so long after the last work
};
const Record<PowerSmoothingSpec>& record(const PowerSmoothingSpec*);

/// Multiplies that a program runs while an accelerator waits.
struct FillerSpec {
  double floor = 0;                    ///< share of the power limit of the accelerator
  Seconds reaction = 5 * millisecond;  ///< from the begin of a wait to filler, and from the end of it to work
};
const Record<FillerSpec>& record(const FillerSpec*);

/// Storage modules of one kind.
struct StorageUseSpec {
  std::string part;  ///< in the catalog
  int modules = 1;   ///< modules at each of its places: accelerators, compute racks, or the hall
};
const Record<StorageUseSpec>& record(const StorageUseSpec*);

struct StabilizationSpec {
  std::string interconnection;  ///< limits of the utility, in the catalog; empty: none
  std::optional<PowerSmoothingSpec> smoothing;
  std::optional<FillerSpec> filler;
  std::vector<StorageUseSpec> storage;
};
const Record<StabilizationSpec>& record(const StabilizationSpec*);

}  // namespace clusterwright
