// SPDX-License-Identifier: Apache-2.0
/// What 10 % more of each resource would do for a step.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

struct StepSensitivity {
  std::string resource;    ///< "device memory bandwidth"
  double step_change = 0;  ///< relative change of the step time when there is 10 % more of it; negative is faster
};

/// Simulates the step once per resource, most useful first. The plan stays.
std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
