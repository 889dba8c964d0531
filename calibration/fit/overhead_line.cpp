// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/overhead_line.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Priors of middle and slope of the overhead line, and scatter of architectures around any line.
constexpr double middle_prior = 0.08, middle_width = 0.10;
constexpr double slope_prior = 0.10, slope_width = 0.10;
constexpr double scatter = 0.05;

}  // namespace

double OverheadLine::at(double density) const {
  return std::max(0.0, middle + slope * (density - reference));
}

OverheadLine fit_overhead_line(const std::vector<OverheadPoint>& points) {
  const double n = static_cast<double>(points.size());
  OverheadLine line;
  double mean_overhead = 0;
  for (const OverheadPoint& point : points) {
    line.reference += point.density / n;
    mean_overhead += point.log_overhead / n;
  }
  double together = 0, alone = 0;
  for (const OverheadPoint& point : points) {
    const double away = point.density - line.reference;
    together += away * (point.log_overhead - mean_overhead);
    alone += away * away;
  }
  const double vote = 1 / (scatter * scatter);
  const double middle_vote = 1 / (middle_width * middle_width), slope_vote = 1 / (slope_width * slope_width);
  line.middle = (n * vote * mean_overhead + middle_vote * middle_prior) / (n * vote + middle_vote);
  line.slope = (vote * together + slope_vote * slope_prior) / (vote * alone + slope_vote);
  line.slope_error = 1 / std::sqrt(vote * alone + slope_vote);
  double squares = scatter * scatter;
  for (const OverheadPoint& point : points) squares += std::pow(point.log_overhead - line.at(point.density), 2);
  line.spread = std::sqrt(squares / (n + 1));
  return line;
}

}  // namespace clusterwright
