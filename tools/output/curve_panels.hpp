// SPDX-License-Identifier: Apache-2.0
/// Predicted curves with their bands over measured points, one panel for each published series.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/output/svg_chart.hpp"

namespace clusterwright {

/// Values are in the unit of the drawing; x is positive, its axis logarithmic.
struct MeasuredPoint {
  double x, y;
};

struct PredictedPoint {
  double x, y, low, high;  ///< low and high bound the 90 % interval
};

struct CurvePanel {
  std::string heading;
  std::string words;                      ///< source, number of points, error
  std::vector<PredictedPoint> predicted;  ///< ascending in x, at least two
  std::vector<MeasuredPoint> measured;    ///< at least one
};

struct CurvePanels {
  ChartText text;
  std::string axes;  ///< what is drawn over what: "Bus bandwidth, GB/s, over the size of the message"
  std::function<std::string(double x)> label;  ///< of a place on the horizontal axis: a power of two
  std::vector<CurvePanel> panels;
};

/// Panels in so many columns on wide drawings, else one below the other; each has its own vertical axis from 0.
std::string curve_panels_svg(const CurvePanels& chart, double width, std::size_t columns);

/// The drawing as a file of its own, in the colours of the light page.
std::string standalone(std::string svg);

}  // namespace clusterwright
