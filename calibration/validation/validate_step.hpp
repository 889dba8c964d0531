// SPDX-License-Identifier: Apache-2.0
/// Predicts published training steps.
#pragma once

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Tokens per second and accelerator. Fields that the source does not publish are chosen, and named in the reason. A
/// plan that seems not to fit is predicted all the same, since it ran; far beyond the memory it is infeasible, since
/// another job must have run.
/// @return unsupported where no model describes the job, infeasible where the job contradicts itself
CaseResult validate_step(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
