// SPDX-License-Identifier: Apache-2.0
#include "tools/output/curve_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double panel_height = 250;
constexpr double column_gap = 18;

class PanelDrawing {
 public:
  PanelDrawing(const CurvePanel& panel, const CurvePanels& chart, double left, double top, double width)
      : panel_(panel), chart_(chart), box_{left + 44, top + 50, left + width - 16, top + panel_height - 40} {
    first_ = std::log2(panel.predicted.front().x);
    last_ = std::log2(panel.predicted.back().x);
    for (const PredictedPoint& point : panel.predicted) top_ = std::max(top_, point.high);
    for (const MeasuredPoint& point : panel.measured) top_ = std::max(top_, point.y);
    top_ *= 1.04;
  }

  std::string draw() const {
    return svg_label("tick strong", box_.left - 40, box_.top - 34, "start", panel_.heading) +
           svg_label("tick", box_.left - 40, box_.top - 17, "start", panel_.words) + grid() + band() + curve() +
           marks();
  }

 private:
  double x(double value) const { return Scale(first_, last_, box_.left, box_.right)(std::log2(value)); }
  double y(double value) const { return Scale(0, top_, box_.bottom, box_.top)(value); }

  std::string grid() const {
    std::string out;
    const double step = axis_step(top_);
    for (double value = 0; value <= top_; value += step)
      out += svg_line(value == 0 ? "base" : "grid", box_.left, y(value), box_.right, y(value)) +
             svg_label("tick", box_.left - 6, y(value) + 4, "end", significant_text(value, 3));
    const double each = std::max(1.0, std::ceil((last_ - first_) / 5));
    for (double power = std::ceil(first_); power <= last_; power += each) {
      const double at = Scale(first_, last_, box_.left, box_.right)(power);
      out += svg_line("base", at, box_.bottom, at, box_.bottom + 4) +
             svg_label("tick", at, box_.bottom + 18, "middle", chart_.label(std::exp2(power)));
    }
    return out;
  }

  std::string band() const {
    std::string upper, lower;
    for (const PredictedPoint& at : panel_.predicted) {
      upper += fmt::format("{:.1f},{:.1f} ", x(at.x), y(at.high));
      lower = fmt::format("{:.1f},{:.1f} ", x(at.x), y(at.low)) + lower;
    }
    return fmt::format("<polygon class=\"band\" points=\"{}{}\"/>\n", upper, lower);
  }

  std::string curve() const {
    std::string path;
    for (const PredictedPoint& at : panel_.predicted) path += fmt::format("{:.1f},{:.1f} ", x(at.x), y(at.y));
    return fmt::format("<polyline class=\"curve\" points=\"{}\"/>\n", path);
  }

  std::string marks() const {
    std::string out;
    for (const MeasuredPoint& point : panel_.measured)
      out +=
          fmt::format("<circle class=\"measured\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"/>\n", x(point.x), y(point.y));
    return out;
  }

  const CurvePanel& panel_;
  const CurvePanels& chart_;
  Rectangle box_;
  double first_ = 0, last_ = 1;  // log2 of x
  double top_ = 0;
};

}  // namespace

std::string curve_panels_svg(const CurvePanels& chart, double width, std::size_t columns) {
  if (width <= 600) columns = 1;
  const double each = (width - column_gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const std::size_t rows = (chart.panels.size() + columns - 1) / columns;
  const double height = panel_height * static_cast<double>(rows) + 14;
  std::string out = open_svg(chart.text, width, height);
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += PanelDrawing(chart.panels[i], chart, static_cast<double>(i % columns) * (each + column_gap),
                        panel_height * static_cast<double>(i / columns), each)
               .draw();
  return out +
         svg_label("axis", width / 2, height - 4, "middle",
                   chart.axes + "; line and band: predicted with 90 % interval, circles: measured") +
         "</svg>\n";
}

std::string standalone(std::string svg) {
  svg.insert(svg.find("<svg ") + 5, "xmlns=\"http://www.w3.org/2000/svg\" ");
  const std::string style =
      "<style>text{font:12px sans-serif;fill:#57606c}.strong{fill:#171b21;font-weight:600}.grid{stroke:#e1e5ea}"
      ".base{stroke:#57606c}.band{fill:#0072b226}.curve{fill:none;stroke:#0065a4;stroke-width:2.5;"
      "stroke-linejoin:round}.measured{fill:#d55e00;stroke:#fff}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n";
  const std::string end = "</desc>\n";
  return svg.insert(svg.find(end) + end.size(), style);
}

}  // namespace clusterwright
