/// What remains of step errors when a class of rows is left out: the widths of intervals.
#pragma once

#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

/// Fills residuals by class and fit reports of the shelf's step calibration.
void publish_residuals(const StepFitResult& fit, ScenarioShelf& shelf);

}  // namespace clusterwright
