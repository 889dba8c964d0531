// SPDX-License-Identifier: Apache-2.0
/// Widths of predictions of whole steps, from the errors of held-out rows.
///
/// A prediction knows part of its variance: the errors of the fitted factors and of the kernels' parameters. A residual
/// is what is missing to it, so that 90 % of held-out errors lie within 1.645 standard deviations: the 90th percentile
/// of sqrt((error / 1.645)^2 - known variance). The known variance of a held-out row is that of the fit without it, as
/// a stack of three models is known much less from two of them. Classes add up in squares
/// (models/prediction/prediction_interval.hpp), so each is what is missing beyond those before it: a stack beyond
/// models, an accelerator beyond its stack.
/// A row counts in a class if what is wider is still in the fit: one of MI300X, whose steps are all of one model, says
/// nothing about other models, but about other architectures. Models are held out within stacks and architectures,
/// stacks and accelerators within architectures, architectures within vendors. Of an architecture eight steps must be
/// left, so that few ones that scatter do not widen those of all others; predictions on it are wider instead
/// (models/prediction/prediction_interval.cpp, left_by_steps).
/// A class is at least as wide as the predictions of its rows move when they are held out.
///
/// Example: errors of 0.10, 0.12 and 0.20 at the 90th percentile, known variance 0.05^2 for each. The residual is
/// sqrt((0.20 / 1.645)^2 - 0.05^2) = 0.111, not 0.122.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

using RowName = std::function<std::string(const StepRow&)>;

/// What a class of errors lies within, and how many rows of it must be left without a group, those of one cell as one.
struct WiderClass {
  RowName name;
  double least = 0;  ///< 0: any
};

/// Weights of rows among the errors of a class, 0 where too few rows of a wider class are left without the row's group.
std::vector<double> class_weights(const std::vector<StepRow>& rows, const RowName& group,
                                  const std::vector<WiderClass>& wider);

/// Variance of each row by the standard errors of the parameters of its kernels.
std::vector<double> kernel_variances(const std::vector<StepRow>& rows);

/// Fills ranges, residuals by class and fit reports of the calibration.
/// @param kernels       kernel_variances() of the rows
/// @param never_fitted  never_fitted_rows(): the width of stacks without an entry
void publish_residuals(const StepFitResult& fit, const std::vector<double>& kernels,
                       const std::vector<StepRow>& never_fitted, StepCalibration& steps);

}  // namespace clusterwright
