// SPDX-License-Identifier: Apache-2.0
/// Charts of a sized cluster: amounts of money as bars, power as flows whose widths are to scale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/site_plan.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

struct AmountBar {
  std::string label;  ///< "transceivers"
  std::string value;  ///< "$4.6 M, 10 %"
  double amount = 0;  ///< not negative; the longest bar is the largest amount
  double before = 0;  ///< amount at which the bar begins: the sum of the steps below it
  std::string_view style = "a-part";
};

struct AmountChart {
  ChartText text;
  std::vector<AmountBar> bars;
};

/// Chart with a line per bar: label, bar, value.
std::string amount_svg(const AmountChart& chart, double width);

/// Styles of amount_svg: classes a-part, a-total and a-other.
std::string_view amount_style();

struct PowerFlowChart {
  ChartText text;
  PowerNode tree;  ///< more than zero
};

/// Branch as drawn.
struct FlowBox {
  std::string name, value;          ///< texts of the label: "IT", "1.21 MW, 81 %"
  std::string whole_name;           ///< full name, or the names of the merged branches
  std::size_t depth = 0;            ///< 0: the whole
  std::string_view family;          ///< class of its colour, by its branch of the first level
  std::optional<std::size_t> from;  ///< box of its parent
  double size = 0;                  ///< pixels of its bar across the flow (wide) or along the line (narrow), to scale
  double leaves_at = 0;             ///< place on the bar of `from` where its flow begins; wide only
  Rectangle bar{};
  Rectangle label{};  ///< space for name and value
};

/// Boxes of the drawing, parents first: from left to right where the width allows, else a line with a bar per branch.
/// Very small branches of one parent are merged.
struct FlowDrawing {
  bool lines = false;
  double height = 0;
  std::vector<FlowBox> boxes;
};
FlowDrawing power_flow_drawing(const PowerNode& tree, double width);

std::string power_flow_svg(const PowerFlowChart& chart, double width);

/// Styles of power_flow_svg.
std::string_view power_flow_style();

}  // namespace clusterwright
