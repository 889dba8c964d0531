// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/width.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "calibration/fit/least_squares.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

/// Square of the standard deviation at whose 90 % bound an error lies.
double squared_deviation(double error) {
  return (error / half_width_90) * (error / half_width_90);
}

}  // namespace

double width_beyond(const std::vector<double>& errors, const std::vector<double>& known,
                    const std::vector<double>& weights) {
  std::vector<double> missing;
  for (std::size_t i = 0; i < errors.size(); ++i)
    missing.push_back(std::sqrt(std::max(0.0, squared_deviation(errors[i]) - known[i])));
  return weighted_quantile(missing, weights, share_of_errors);
}

double error_width(const std::vector<double>& errors, const std::vector<double>& weights) {
  return width_beyond(errors, std::vector<double>(errors.size(), 0.0), weights);
}

}  // namespace clusterwright
