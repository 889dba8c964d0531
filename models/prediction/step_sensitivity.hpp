// SPDX-License-Identifier: Apache-2.0
/// Effect of more of each resource on a step.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Effect of one resource on a step.
struct StepSensitivity {
  std::string resource;    ///< "device memory bandwidth"
  double step_change = 0;  ///< relative change of the step time; negative is faster
};

/// Simulates the step once per resource, the fastest first. The plan stays.
/// @param more  amount of each resource over what the scenario has; below 1 there is less
std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step,
                                                double more = 1.1);

}  // namespace clusterwright
