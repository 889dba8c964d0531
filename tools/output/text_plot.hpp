// SPDX-License-Identifier: Apache-2.0
/// Scatter plots for terminals: plain ASCII, so that they survive logs and mails.
#pragma once

#include <string>
#include <vector>

namespace clusterwright {

struct PlotPoint {
  double x = 0, y = 0;
};

struct TextPlot {
  std::string title, x_label, y_label;
  std::vector<PlotPoint> points;
  double y_most = 0.3;  ///< the vertical axis goes from -y_most to y_most; what lies beyond is drawn at the edge
  double band = 0;      ///< dashed lines at +- band; 0: none
  int width = 64, height = 11;
};

/// x is logarithmic, and must be positive. Cells with 1, 2 to 4, and more points are "." "o" "#".
std::string render_plot(const TextPlot& plot);

}  // namespace clusterwright
