// SPDX-License-Identifier: Apache-2.0
/// Charts of power over time and of its spectrum.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/site/wave/job_wave.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

/// Curve of a chart. Where samples are denser than pixels, the chart shows the band from the lowest to the highest.
struct WaveCurve {
  std::string name;                               ///< for the legend
  std::string_view style;                         ///< w-drawn or w-held
  std::vector<std::pair<double, double>> points;  ///< ascending in the first
};

/// Horizontal line with a name: what is allowed, or planned for.
struct WaveLine {
  std::string name;
  double value = 0;
};

struct WaveChart {
  ChartText text;
  std::string x_name, y_name;  ///< "s", "MW"
  std::vector<WaveCurve> curves;
  std::vector<WaveLine> lines;
  bool from_zero = false;    ///< whether the axis of values begins at zero
  bool logarithmic = false;  ///< axis of the first
};

std::string wave_svg(const WaveChart& chart, double width);

/// Style sheet of the charts.
std::string_view wave_chart_style();

/// Sections of a page with the charts of a wave.
std::string wave_sections(const JobWave& wave);

}  // namespace clusterwright
