// SPDX-License-Identifier: Apache-2.0
/// Bandwidth over message size: predicted curves and measured points, one panel for each published sweep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/svg_chart.hpp"

namespace clusterwright {

struct RatePoint {
  Bytes size;
  BytesPerSecond rate;
};

struct RateBand {
  Bytes size;
  BytesPerSecond rate, low, high;  ///< low and high bound the 90 % interval
};

struct RatePanel {
  std::string heading;              ///< operation and machine
  std::string words;                ///< source, number of points, error
  std::vector<RateBand> predicted;  ///< ascending in size, at least two
  std::vector<RatePoint> measured;  ///< at least one
};

struct RateChart {
  ChartText text;
  std::vector<RatePanel> panels;
};

/// Panels in three columns on wide drawings, else one below the other; sizes logarithmic, each panel with its own
/// rates.
std::string rates_svg(const RateChart& chart, double width);

/// The drawing as a file of its own, in the colours of the light page.
std::string standalone(std::string svg);

}  // namespace clusterwright
