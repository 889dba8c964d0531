// SPDX-License-Identifier: Apache-2.0
// Invariant: in the ratio of two steps, common causes cancel. Slopes are subtracted before C is applied (the terms are
// those of prediction_interval.cpp), shared parts of one family too; errors of folding do not. Of `own`, steps keep
//
//   any two        all of it
//   of one task    the part that differs with the accelerator (task_key); from there to all of it at one doubling
//   of one work    the part that differs with the layout (work_key)
//   of one job     size^2 each, and lost^2 * d; the larger one, toward slower, growth^2 * doublings (job_key)
//   twins          own^2 * c^2: only machines and limits differ (twin_key)
//
//   size      two measurements of one job differ, as its nodes and its run do
//   lost      error of time that a step loses to communication, launches and waiting. It is the sum of many waits,
//             whose errors are independent, so its variance grows as it does
//   d, c      root of the sum of squares of differences of shares: of time that is lost, of all charges. Work that
//             twins do alike has the same error in both
//   growth    what larger jobs lose that no model has, for one doubling. It has one side: a larger job of equal work
//             per replica has nothing to gain. Losses of doublings are independent, so their squares add up
//
// So the error has two sides. Each is one half of Student's t with two degrees of freedom, stretched so that 90 % of it
// lie within 1.645 "standard deviations" of its side (its variance is infinite): errors of published pairs have half of
// them within 0.42 and 1 % beyond 4.9, which a normal distribution puts at 0.67 and 2.6. Both halves are as high
// where they meet, at the predicted ratio, so each has the share of its standard deviation in their sum.
//
// Example: sides of 2.8 % each. A step that is predicted 4 % faster is so with a probability of
// 0.5 + x / sqrt(2 + x^2) / 2 = 93.7 %, where x = (0.04 / 0.028) (2.920 / 1.645) = 2.54. With
// 3.0 % toward slower and 1.0 % toward faster, three of four outcomes are slower than predicted. A larger job that is
// predicted 1 % slower by accelerator is faster in the rest, beyond 1 % on the side of 1 %: 0.25 * 2 * (1 - 0.891) =
// 5.4 %.
//
// Sources: first-order propagation of errors; two-piece distributions as in E. Britton, P. Fisher, J. Whitley, "The
// Inflation Report projections: understanding the fan chart", Bank of England Quarterly Bulletin, 1998;
// docs/models/interval.md.
#include "models/prediction/ratio_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/variance.hpp"
#include "models/settling/clock_search.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

/// Standard deviation of ln(time) by the clocks, which are searched to a tolerance.
constexpr double replay_error = clock_tolerance;

/// 95 % quantile of Student's t distribution with two degrees of freedom, over that of a normal one.
constexpr double student_stretch = 2.919986 / half_width_90;

/// Variance of a ratio by the parameters of kernels: those of one set cancel as far as both steps depend on them alike.
double parameter_variance(const StepUncertainty& a, const StepUncertainty& b) {
  if (a.parameter_set != b.parameter_set) return sum_of_squares(a.parameters) + sum_of_squares(b.parameters);
  std::map<std::string, double> difference = a.parameters;
  for (const auto& [name, error] : b.parameters) difference[name] -= error;
  return sum_of_squares(difference);
}

bool is_lost(StepCharge charge) {
  const ChargeKind kind = kind_of(charge);
  return kind == ChargeKind::communication || kind == ChargeKind::launch || kind == ChargeKind::waiting;
}

/// Sum of squares of the differences of shares of time that is lost; of all charges unless `lost_alone`.
double squared_difference(const StepUncertainty& a, const StepUncertainty& b, bool lost_alone) {
  double sum = 0;
  for (std::size_t i = 0; i < step_charge_count; ++i)
    if (!lost_alone || is_lost(static_cast<StepCharge>(i))) sum += squared(a.shares[i] - b.shares[i]);
  return sum;
}

/// Variance of a ratio of steps of one task on two accelerators. Numbers of accelerators a doubling apart make two
/// jobs: published pairs of them err as those of two models do.
double machine_part(const StepUncertainty& a, const StepUncertainty& b) {
  const double apart = std::min(1.0, std::abs(std::log2(a.accelerators / b.accelerators)));
  const auto part = [&](const StepUncertainty& step) {
    return squared(step.machine) + apart * (squared(step.own) - squared(step.machine));
  };
  return part(a) + part(b);
}

/// Variance of a ratio by what each step has for itself, on both sides.
double own_part(const StepUncertainty& a, const StepUncertainty& b, const StepResiduals& r) {
  if (a.twin == b.twin && !a.twin.empty())
    return squared(std::max(a.own, b.own)) * squared_difference(a, b, false) + 2 * squared(replay_error);
  if (a.job == b.job) return squared(a.size) + squared(b.size) + squared(r.size_lost.value) * lost_difference(a, b);
  if (a.work == b.work) return squared(a.layout) + squared(b.layout);
  if (a.task == b.task) return machine_part(a, b);
  return squared(a.own) + squared(b.own);
}

/// Variance that the larger one of two sizes of a job has toward slower. @return of `a`; 0 where it is not the larger
double growth_part(const StepUncertainty& a, const StepUncertainty& b, const StepResiduals& r) {
  if (a.job != b.job || a.accelerators <= b.accelerators) return 0;
  return squared(r.size_growth.value) * std::log2(a.accelerators / b.accelerators);
}

/// Probability of a value below `x` standard deviations, of both halves of equal width.
double student_below(double x) {
  const double t = x * student_stretch;
  return 0.5 + t / std::sqrt(2 + squared(t)) / 2;
}

}  // namespace

double lost_difference(const StepUncertainty& a, const StepUncertainty& b) {
  return std::sqrt(squared_difference(a, b, true));
}

RatioError ratio_error(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration) {
  std::map<std::string, double> difference = a.slopes;
  for (const auto& [name, slope] : b.slopes) difference[name] -= slope;
  const bool together = a.family == b.family;
  const double shared = together ? squared(a.shared - b.shared) : squared(a.shared) + squared(b.shared);
  const double folding = squared(a.folding) + squared(b.folding);
  const double both = own_part(a, b, calibration.residuals) + shared + folding +
                      fitted_variance(difference, calibration) + parameter_variance(a, b);
  return {std::sqrt(both + growth_part(a, b, calibration.residuals)),
          std::sqrt(both + growth_part(b, a, calibration.residuals))};
}

Interval<double> interval_around(double log_ratio, const RatioError& error) {
  return {std::exp(log_ratio - half_width_90 * error.slower), std::exp(log_ratio),
          std::exp(log_ratio + half_width_90 * error.faster)};
}

double ratio_density(double beyond, const RatioError& error) {
  const double t = student_stretch * beyond / (beyond < 0 ? error.slower : error.faster);
  return 2 * student_stretch / (error.slower + error.faster) / std::pow(2 + squared(t), 1.5);
}

double probability_ahead(double ahead, const RatioError& error) {
  // Outcomes that turn the order round lie beyond the prediction on one side.
  const double side = ahead > 0 ? error.slower : error.faster;
  const double sum = error.slower + error.faster;
  if (side <= 0) return ahead > 0 ? 1 : ahead < 0 || sum > 0 ? 0 : 0.5;
  const double turned = 2 * side / sum * student_below(-std::abs(ahead) / side);
  return ahead > 0 ? 1 - turned : turned;
}

double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration) {
  const double ahead = std::log(a.tokens_per_second_per_accelerator() / b.tokens_per_second_per_accelerator());
  return probability_ahead(ahead, ratio_error(a.uncertainty, b.uncertainty, calibration));
}

}  // namespace clusterwright
