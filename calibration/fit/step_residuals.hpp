/// What remains of step errors when a class of rows is left out: the widths of intervals.
#pragma once

#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

/// Fills ranges, residuals by class and fit reports of the calibration.
void publish_residuals(const StepFitResult& fit, StepCalibration& steps);

}  // namespace clusterwright
