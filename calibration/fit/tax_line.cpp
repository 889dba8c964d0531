#include "calibration/fit/tax_line.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Belief in middle and slope, and how far architectures lie from any line.
constexpr double middle_belief = 0.08, middle_width = 0.10;
constexpr double slope_belief = 0.10, slope_width = 0.10;
constexpr double scatter = 0.05;

}  // namespace

double TaxLine::at(double density) const {
  return std::max(0.0, middle + slope * (density - reference));
}

TaxLine fit_tax_line(const std::vector<TaxPoint>& points) {
  const double n = static_cast<double>(points.size());
  TaxLine line;
  double mean_tax = 0;
  for (const TaxPoint& point : points) {
    line.reference += point.density / n;
    mean_tax += point.log_tax / n;
  }
  double together = 0, alone = 0;
  for (const TaxPoint& point : points) {
    const double away = point.density - line.reference;
    together += away * (point.log_tax - mean_tax);
    alone += away * away;
  }
  const double vote = 1 / (scatter * scatter);
  const double middle_vote = 1 / (middle_width * middle_width), slope_vote = 1 / (slope_width * slope_width);
  line.middle = (n * vote * mean_tax + middle_vote * middle_belief) / (n * vote + middle_vote);
  line.slope = (vote * together + slope_vote * slope_belief) / (vote * alone + slope_vote);
  line.slope_error = 1 / std::sqrt(vote * alone + slope_vote);
  double squares = scatter * scatter;
  for (const TaxPoint& point : points) squares += std::pow(point.log_tax - line.at(point.density), 2);
  line.spread = std::sqrt(squares / (n + 1));
  return line;
}

}  // namespace clusterwright
