// SPDX-License-Identifier: Apache-2.0
/// Limits of a step: the largest loss beside useful work, and the effect of 10 % more of each resource.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Largest loss of time beside useful GEMMs, and what to change first: "pipeline bubble (9 %): ...".
std::string name_bottleneck(const StepPrediction& step);

/// Effect of one resource on a step.
struct StepSensitivity {
  std::string resource;    ///< "device memory bandwidth"
  double step_change = 0;  ///< relative change of the step time with 10 % more of it; negative is faster
};

/// Simulates the step once per resource, most useful first. The plan stays.
std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
