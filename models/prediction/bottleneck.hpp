// SPDX-License-Identifier: Apache-2.0
/// What limits a step: the largest cost beside useful work, and the effect of 10 % more of each resource.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// What costs most apart from useful matrix work, and what to change first: "pipeline bubble (9 %): ...".
std::string name_bottleneck(const StepPrediction& step);

struct StepSensitivity {
  std::string resource;    ///< "device memory bandwidth"
  double step_change = 0;  ///< relative change of the step time when there is 10 % more of it; negative is faster
};

/// Simulates the step once per resource, most useful first. The plan stays.
std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
