/// Values with their origin, made from fits.
#pragma once

#include <string>

#include "calibration/fit/least_squares.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Eight significant digits: more than any fit knows, and the same on every machine.
double rounded(double value);

/// A plain number with one standard deviation.
Sourced<double> sourced_value(double value, double std_error, std::string source);

/// A quantity; `unit` is that of its key, in which the standard deviation is stated too.
template <class Q>
Sourced<Q> sourced_value(double value, double std_error, Q unit, std::string source) {
  return {rounded(value) * unit, std::move(source), false, rounded(std_error)};
}

/// Row summaries side by side.
FitReport report(std::string name, const std::vector<double>& in_sample, const std::vector<double>& left_out,
                 std::string rows_from);

}  // namespace clusterwright
