// SPDX-License-Identifier: Apache-2.0
/// Sums of variances that predicted errors consist of.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "models/job/step_calibration.hpp"

namespace clusterwright {

inline double squared(double x) {
  return x * x;
}

/// Sum of the squares of the errors whose name starts with `family`.
double sum_of_squares(const std::map<std::string, double>& errors, std::string_view family = "");

/// Variance of a sum of fitted logarithms: by their covariance, and by the part of each standard error that exceeds
/// it. Numbers without a row of the covariance have their standard error alone.
/// @param slopes  d ln(time) / d ln(fitted number), by its name in the step calibration
double fitted_variance(const std::map<std::string, double>& slopes, const StepCalibration& calibration);

}  // namespace clusterwright
