// SPDX-License-Identifier: Apache-2.0
/// Values that a model predicts for one measurement, with intervals.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "models/job/parameters.hpp"

namespace clusterwright {

/// One value per point in the unit of the case's score field, each with its 90 % interval.
struct PredictedValues {
  std::vector<double> predicted, low, high;
};

/// Values, or the reason why there is no prediction.
using Prediction = std::variant<PredictedValues, std::string>;

/// Parameters that a user with this accelerator would get; null if none are shipped.
using ParameterSetOf = std::function<const ParameterSet*(const std::string& accelerator)>;

/// Adds a value and its interval. @param half_width  half-width of the interval, as |log(predicted/measured)|
void add_value(double predicted, double half_width, PredictedValues& values);

/// Fit report on `name` ("gemm/bf16, M >= 1024"), or on its held-out generations; null without one.
const FitReport* find_report(const ParameterSet& set, const std::string& name);

/// Half-width of a 90 % interval, from the 90th percentile of the fit's held-out errors (generations for generic
/// parameters) and the standard error of the parameter that the answer is proportional to.
/// @param report  name of the fit report, without the held-out part: "gemm/bf16, M >= 1024"
/// @param otherwise  report of a relative, for formats without measurements
double half_width_of(const ParameterSet& set, const std::string& report, const std::string& otherwise,
                     const Sourced<double>& parameter);

}  // namespace clusterwright
