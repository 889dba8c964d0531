// SPDX-License-Identifier: Apache-2.0
// Invariant: in the ratio of two steps, common causes cancel. Slopes are subtracted before C is applied, shared parts
// of one family too; errors of folding do not. Of `own`, steps of one job and layout (job_key) keep only the part that
// differs with the number of accelerators, and steps of one job under two layouts (work_key) the part that differs with
// the layout. Twins (twin_key: the same job on other networks or under other limits) have an error of `own` in each
// charge, in as far as its share of the step differs.
//
// Example: the same job and layout on another number of accelerators, with equal slopes and a size part of 0.02: sigma
// is sqrt(2) * 0.02 = 0.028, 4.8 %.
//
// The error of a ratio has the shape of Student's t with three degrees of freedom, stretched so that 90 % lie within
// 1.645 sigma: held-out errors of published pairs have half of them within 0.46 sigma and 1 % beyond 3.2, which a
// normal distribution puts at 0.67 and 2.6. In the example, a step that is predicted 4 % faster is so with a
// probability of 0.5 + (x / (1 + x^2) + atan(x)) / pi = 93 %, where x = (0.04 / 0.028) (2.353 / 1.645) / sqrt(3)
// = 1.18.
//
// Source: first-order propagation of errors; docs/models/interval.md.
#include "models/prediction/ratio_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <string>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/variance.hpp"
#include "models/settling/clock_search.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

/// Standard deviation of ln(time) by the clocks, which are searched to a tolerance.
constexpr double replay_error = clock_tolerance;

/// 95 % quantile of Student's t distribution with three degrees of freedom.
constexpr double student_95 = 2.353363;

/// Variance of a ratio by the parameters of kernels: those of one set cancel as far as both steps depend on them alike.
double parameter_variance(const StepUncertainty& a, const StepUncertainty& b) {
  if (a.parameter_set != b.parameter_set) return sum_of_squares(a.parameters) + sum_of_squares(b.parameters);
  std::map<std::string, double> difference = a.parameters;
  for (const auto& [name, error] : b.parameters) difference[name] -= error;
  return sum_of_squares(difference);
}

/// Variance of a ratio of twins: each charge has an error of its own, as large as that of the step, in as far as its
/// share of the step differs.
double twin_part(const StepUncertainty& a, const StepUncertainty& b) {
  double sum = 0;
  for (std::size_t i = 0; i < step_charge_count; ++i) sum += squared(a.shares[i] - b.shares[i]);
  return squared(std::max(a.own, b.own)) * sum + 2 * squared(replay_error);
}

/// Variance of a ratio by what each step has for itself.
double own_part(const StepUncertainty& a, const StepUncertainty& b) {
  if (a.twin == b.twin && !a.twin.empty()) return twin_part(a, b);
  if (a.job == b.job) return squared(a.size) + squared(b.size);
  if (a.work == b.work) return squared(a.layout) + squared(b.layout);
  return squared(a.own) + squared(b.own);
}

}  // namespace

double sigma_of_ratio(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration) {
  std::map<std::string, double> difference = a.slopes;
  for (const auto& [name, slope] : b.slopes) difference[name] -= slope;
  const bool together = a.family == b.family;
  const double shared = together ? squared(a.shared - b.shared) : squared(a.shared) + squared(b.shared);
  const double folding = squared(a.folding) + squared(b.folding);
  return std::sqrt(own_part(a, b) + shared + folding + fitted_variance(difference, calibration) +
                   parameter_variance(a, b));
}

double probability_ahead(double ahead, double sigma) {
  if (sigma <= 0) return ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5;
  const double x = ahead / sigma * student_95 / half_width_90 / std::sqrt(3.0);
  return 0.5 + (x / (1 + x * x) + std::atan(x)) / std::numbers::pi;
}

double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration) {
  const double ahead = std::log(a.tokens_per_second_per_accelerator() / b.tokens_per_second_per_accelerator());
  return probability_ahead(ahead, sigma_of_ratio(a.uncertainty, b.uncertainty, calibration));
}

}  // namespace clusterwright
