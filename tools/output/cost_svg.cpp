#include "tools/output/cost_svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/output/escape.hpp"

namespace clusterwright {

namespace {

constexpr double letter = 8;  // pixels of a wide bold letter
constexpr double pitch = 28;
constexpr double thick = 16;

double room_for(const std::vector<AmountBar>& bars, std::string AmountBar::*words) {
  std::size_t longest = 1;
  for (const AmountBar& bar : bars) longest = std::max(longest, display_width(printable(bar.*words)));
  return 14 + letter * static_cast<double>(longest);
}

}  // namespace

std::string amount_svg(const AmountChart& chart, double width) {
  double most = 0;
  for (const AmountBar& bar : chart.bars) most = std::max(most, bar.before + bar.amount);
  const double left = std::min(0.45 * width, room_for(chart.bars, &AmountBar::label));
  const Scale x(0, most, left, width - room_for(chart.bars, &AmountBar::value));
  std::string out = open_svg(chart.text, width, 8 + pitch * static_cast<double>(chart.bars.size()));
  double middle = 4 + pitch / 2;
  for (const AmountBar& bar : chart.bars) {
    const double begin = x(bar.before), end = x(bar.before + bar.amount);
    out += svg_label("tick", left - 8, middle + 4, "end", bar.label);
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n",
                       bar.style, begin, middle - thick / 2, most > 0 ? end - begin : 0, thick);
    out += svg_label("strong", (most > 0 ? end : left) + 8, middle + 4, "start", bar.value);
    middle += pitch;
  }
  return out + svg_line("base", left, 2, left, middle - pitch / 2) + "</svg>\n";
}

std::string_view amount_style() {
  return R"css(
.a-part { fill: #0072b2; } .a-total { fill: #7f8894; } .a-other { fill: #e69f00; }
@media screen and (prefers-color-scheme: dark) { .a-part { fill: #3d9fe0; } .a-total { fill: #a2abb7; } }
)css";
}

}  // namespace clusterwright
