// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/variance.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clusterwright {

namespace {

/// Relative difference of a variance and the square of a standard error that eight written digits leave.
constexpr double written_digits = 1e-5;

double slope_of(const std::map<std::string, double>& slopes, const std::string& name) {
  const auto found = slopes.find(name);
  return found == slopes.end() ? 0 : found->second;
}

/// Variance of the logarithm of a number by its own standard error.
double own_variance(const StepCalibration& calibration, const std::string& name) {
  const Sourced<double>* number = fitted_number(calibration, name);
  if (!number || number->value == 0) return 0;
  const bool yearly = name == "drift" || name == "expert_drift";
  return squared(yearly ? number->std_error : number->std_error / number->value);
}

}  // namespace

double sum_of_squares(const std::map<std::string, double>& errors, std::string_view family) {
  double sum = 0;
  for (const auto& [name, error] : errors)
    if (name.starts_with(family)) sum += squared(error);
  return sum;
}

double fitted_variance(const std::map<std::string, double>& slopes, const StepCalibration& calibration) {
  const std::vector<std::string>& fitted = calibration.fitted;
  const std::size_t n = calibration.covariance.size() == fitted.size() * fitted.size() ? fitted.size() : 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = slope_of(slopes, fitted[i]);
    for (std::size_t k = 0; a != 0 && k < n; ++k)
      sum += a * slope_of(slopes, fitted[k]) * calibration.covariance[i * n + k];
  }
  sum = std::max(0.0, sum);
  for (const auto& [name, slope] : slopes) {
    const auto row = static_cast<std::size_t>(std::find(fitted.begin(), fitted.end(), name) - fitted.begin());
    const double known = row < n ? calibration.covariance[row * n + row] : 0;
    const double excess = own_variance(calibration, name) - known;
    if (excess > written_digits * known) sum += squared(slope) * excess;
  }
  return sum;
}

}  // namespace clusterwright
