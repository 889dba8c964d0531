// SPDX-License-Identifier: Apache-2.0
/// Values with their origin, and reports of fits.
#pragma once

#include <string>

#include "calibration/fit/least_squares.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Value with eight significant digits: beyond the accuracy of any fit, and the same on every machine.
double rounded(double value);

/// Plain number with one standard deviation.
Sourced<double> sourced_value(double value, double std_error, std::string source);

/// Quantity; `unit` is that of its key, and of the standard deviation.
template <class Q>
Sourced<Q> sourced_value(double value, double std_error, Q unit, std::string source) {
  return {rounded(value) * unit, std::move(source), false, rounded(std_error)};
}

/// Summary of errors in sample and held out.
/// @param weights  of the rows; empty: all alike
FitReport report(std::string name, const std::vector<double>& in_sample, const std::vector<double>& held_out,
                 std::string rows_from, const std::vector<double>& weights = {});

}  // namespace clusterwright
