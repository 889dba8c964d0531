// SPDX-License-Identifier: Apache-2.0
/// Times of kernels and collectives of a scenario.
#pragma once

#include <optional>

#include "models/job/scenario.hpp"
#include "models/job/step_calibration.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/lowering/link_timings.hpp"

namespace clusterwright {

/// @pre the scenario outlives it
struct StepPrices {
  /// @throws ConfigError as KernelTimes
  explicit StepPrices(const Scenario& scenario);
  StepPrices(const StepPrices&) = delete;
  StepPrices& operator=(const StepPrices&) = delete;

  StepFactors factors;
  KernelTimes kernels;
  std::optional<Cluster> part;  ///< with the network cards that the stack uses; absent if it uses all
  LinkTimings links;
};

/// Power beside the accelerator of one rank: its share of the hosts, and of the accelerators that no rank uses.
Watts power_beside(const Cluster& cluster, Watts idle_accelerator);

}  // namespace clusterwright
