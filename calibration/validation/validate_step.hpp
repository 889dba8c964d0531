/// Predicts published training steps.
#pragma once

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Tokens per second and accelerator. What the source does not publish is chosen, and named in the reason.
/// A plan that seems not to fit is predicted all the same, as it ran; far beyond the memory it is infeasible: what ran
/// was something else.
/// @return unsupported where no model describes the job, infeasible where the job contradicts itself
CaseResult validate_step(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
