// SPDX-License-Identifier: Apache-2.0
/// Drawings of link heat: cells by tier, and histograms of utilisation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/link_heat.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

/// Nodes or switches at the lower ends of links, several where there are very many.
struct HeatCell {
  std::string title;       ///< shown under the pointer
  double utilisation = 0;  ///< that of the busiest link
};

/// Cells of one tier and way.
struct HeatPanel {
  std::string heading;  ///< "leaf to spine"
  std::string words;    ///< "256 leaves; mean 3.1 %, busiest 9.8 %"
  std::vector<HeatCell> cells;
  int row = 0;  ///< panels of one row stand side by side; row 0 at the bottom
};

struct HeatChart {
  ChartText text;
  std::vector<HeatPanel> panels;
};

/// Tiers one above the other as in a drawing of the network: nodes at the bottom, up on the left and down on the right.
/// Cells that are large enough carry their number.
std::string heat_svg(const HeatChart& chart, double width);

/// Numbers of links by class of utilisation, one panel for each tier and way.
struct HeatHistogram {
  std::string heading;
  std::array<std::size_t, heat_class_count> links{};
};

struct HeatHistogramChart {
  ChartText text;
  std::vector<HeatHistogram> panels;
};

std::string heat_histograms_svg(const HeatHistogramChart& chart, double width);

/// Classes of utilisation with their colours.
std::string heat_legend();

/// Colours of these drawings: cells keep theirs in the dark, since each carries its own ink.
std::string heat_style();

}  // namespace clusterwright
