// SPDX-License-Identifier: Apache-2.0
/// Charts of a validation, as inline SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/svg_chart.hpp"

namespace clusterwright {

struct ScatterPoint {
  double measured = 0;
  double predicted = 0;
  std::size_t group = 0;  ///< gives colour and shape
  std::string title;      ///< shown under the pointer
};

struct ScatterChart {
  ChartText text;
  std::string unit;
  std::vector<ScatterPoint> points;  ///< points, at least one; all values positive
};

/// Predicted against measured, both logarithmic, with the diagonal and a band of 10 %.
std::string scatter_svg(const ScatterChart& chart, double width);

/// The mark of a group, for a legend: 30 that differ.
std::string mark_svg(std::size_t group);

/// Errors of one family: log(predicted / measured).
struct ErrorBox {
  std::string label;
  double low = 0, lower = 0, median = 0, upper = 0, high = 0;  ///< quantiles 5, 25, 50, 75 and 95 %
};

struct ErrorBoxChart {
  ChartText text;
  std::vector<ErrorBox> boxes;
};

/// A box from quartile to quartile per family, with lines to the 5th and 95th percentile.
std::string error_boxes_svg(const ErrorBoxChart& chart, double width);

struct ShareBar {
  std::string label;
  double share = 0;
};

struct ShareChart {
  ChartText text;
  double from = 0, to = 1;  ///< expected range of the shares, drawn as a band
  std::vector<ShareBar> bars;
};

/// One horizontal bar per line.
std::string shares_svg(const ShareChart& chart, double width);

/// Colours of these charts, for light, dark and print.
std::string_view validation_style();

}  // namespace clusterwright
