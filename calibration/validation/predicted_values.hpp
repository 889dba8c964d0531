/// What a model says about one measurement, and which parameters it may use.
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

/// Or why there is no prediction.
using Prediction = std::variant<PredictedValues, std::string>;

/// The parameters that a user with this accelerator would get; null if none are shipped.
using ParameterSetOf = std::function<const ParameterSet*(const std::string& accelerator)>;

/// Adds a value and its interval. @param half_width  of the interval, as |log(predicted/measured)|
void add_value(double predicted, double half_width, PredictedValues& values);

/// The fit report on `name` ("gemm/bf16, M >= 1024"), or on generations left out of it; null without one.
const FitReport* find_report(const ParameterSet& set, const std::string& name);

/// 90 % interval of what a fit predicts: the 90th percentile of what it missed in rows left out (generations for
/// transferred parameters), and the standard error of the parameter that the answer is proportional to.
/// @param report     name of the fit report up to what was left out: "gemm/bf16, M >= 1024"
/// @param otherwise  report of a relative, for what nobody measured
double half_width_of(const ParameterSet& set, const std::string& report, const std::string& otherwise,
                     const Sourced<double>& parameter);

}  // namespace clusterwright
