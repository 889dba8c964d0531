// SPDX-License-Identifier: Apache-2.0
/// Effect of more of each resource on a step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Limit that an operator sets. It is a resource upwards only where a limit below the rating is set, at most to the
/// rating: what the drivers of accelerators refuse is none.
inline constexpr std::string_view power_limit_resource = "power limit of the accelerator";
/// The same where the rating is less than a tenth above the limit.
inline constexpr std::string_view limit_up_to_rating = "power limit of the accelerator, up to its rating";

/// Effect of one resource on a step.
struct StepSensitivity {
  std::string resource;    ///< "device memory bandwidth"
  double step_change = 0;  ///< relative change of the step time; negative is faster
  bool of_part = false;    ///< property of the accelerator, of which only another accelerator has more
};

/// Simulates the step once per resource, the fastest first. The plan stays. Resources that cannot change so are left
/// out.
/// @param more  amount of each resource over what the scenario has; below 1 there is less
std::vector<StepSensitivity> step_sensitivities(const Scenario& scenario, const StepPrediction& step,
                                                double more = 1.1);

}  // namespace clusterwright
