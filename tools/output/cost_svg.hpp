/// Amounts of money as bars.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/svg_parts.hpp"

namespace clusterwright {

struct AmountBar {
  std::string label;  ///< "transceivers"
  std::string value;  ///< "$4.6 M, 10 %"
  double amount = 0;  ///< not negative; the longest bar is the largest amount
  double before = 0;  ///< where the bar begins: amounts that it stands on
  std::string_view style = "a-part";
};

struct AmountChart {
  ChartText text;
  std::vector<AmountBar> bars;
};

/// A line per bar: its label, the bar, its value behind it.
std::string amount_svg(const AmountChart& chart, double width);

/// The part of the style sheet that it needs: classes a-part, a-total and a-other.
std::string_view amount_style();

}  // namespace clusterwright
