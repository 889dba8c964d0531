// SPDX-License-Identifier: Apache-2.0
/// Shifts against a reference as horizontal marks around zero: options with intervals, and tornados.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/svg_chart.hpp"

namespace clusterwright {

/// One row; shifts are shares, 0.1 is drawn as +10 %.
struct ShiftRow {
  std::string name;
  double low = 0, value = 0, high = 0;
};

enum class ShiftMark {
  interval,  ///< a dot at `value` with a line from `low` to `high`
  bars       ///< bars from zero to `low` and to `high`, as in a tornado; `value` is not drawn
};

struct ShiftChart {
  ChartText text;
  ShiftMark mark = ShiftMark::interval;
  std::string axis;  ///< "tokens/s against A, %"
  std::vector<ShiftRow> rows;
};

std::string shift_svg(const ShiftChart& chart, double width);

/// Classes of its marks, for the page's style sheet.
std::string_view shift_style();

}  // namespace clusterwright
