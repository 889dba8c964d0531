// SPDX-License-Identifier: Apache-2.0
/// Errors of the ratio of two steps of one job, from pairs of published steps: under two layouts, and on two numbers of
/// accelerators (size_error.hpp).
#pragma once

#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

/// Fills the residuals of layouts and sizes. @param fit  whose rows are predicted with the factors of `steps`
void publish_ratios(const StepFitResult& fit, StepCalibration& steps);

}  // namespace clusterwright
