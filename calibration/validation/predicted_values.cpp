// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predicted_values.hpp"

#include <cmath>

namespace clusterwright {

namespace {

constexpr double ninety_percent = 1.645;    // standard deviations on each side of a normal distribution
constexpr double unknown_half_width = 0.5;  // without any fit

}  // namespace

const FitReport* find_report(const ParameterSet& set, const std::string& name) {
  for (const FitReport& fit : set.fits)
    if (fit.name == name || fit.name == name + ", generation held out") return &fit;
  return nullptr;
}

void add_value(double predicted, double half_width, PredictedValues& values) {
  values.predicted.push_back(predicted);
  values.low.push_back(predicted * std::exp(-half_width));
  values.high.push_back(predicted * std::exp(half_width));
}

double half_width_of(const ParameterSet& set, const std::string& report, const std::string& otherwise,
                     const Sourced<double>& parameter) {
  const double own = parameter.value > 0 ? ninety_percent * parameter.std_error / parameter.value : 0;
  const FitReport* fit = find_report(set, report);
  if (!fit) fit = find_report(set, otherwise);
  if (!fit) return own > 0 ? own : unknown_half_width;
  return std::hypot(own, fit->held_out_p90_abs_log);
}

}  // namespace clusterwright
