// SPDX-License-Identifier: Apache-2.0
/// Errors of the ratio of two steps, from pairs of published steps: of one job under two layouts and on two numbers of
/// accelerators (size_error.hpp), of one task on two accelerators (machine_error.hpp).
#pragma once

#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

/// Fills the residuals of layouts, machines and sizes. @param fit  whose rows are predicted with the factors of `steps`
void publish_ratios(const StepFitResult& fit, StepCalibration& steps);

}  // namespace clusterwright
