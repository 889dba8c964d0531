// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sourced_value.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace clusterwright {

double rounded(double value) {
  return std::strtod(fmt::format("{:.7e}", value).c_str(), nullptr);
}

Sourced<double> sourced_value(double value, double std_error, std::string source) {
  return {rounded(value), std::move(source), false, rounded(std_error)};
}

FitReport report(std::string name, const std::vector<double>& in_sample, const std::vector<double>& held_out,
                 std::string rows_from, const std::vector<double>& weights) {
  const ErrorSummary seen = summarise(in_sample, weights), unseen = summarise(held_out, weights);
  return {std::move(name),        seen.rows,           rounded(seen.median), rounded(seen.p90),
          rounded(unseen.median), rounded(unseen.p90), std::move(rows_from)};
}

}  // namespace clusterwright
