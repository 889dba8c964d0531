// SPDX-License-Identifier: Apache-2.0
#include "tools/output/shift_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double row_height = 26, foot = 40, widest_names = 330;

class ShiftDrawing {
 public:
  ShiftDrawing(const ShiftChart& chart, double width)
      : chart_(chart),
        // Names stand above their row where the chart is narrow.
        names_above_(width < 600),
        row_(names_above_ ? 2 * row_height - 8 : row_height),
        box_{names_above_ ? 12 : widest_names, 6, width - 84, 6 + row_ * static_cast<double>(chart.rows.size())} {
    for (const ShiftRow& row : chart.rows) {
      least_ = std::min({least_, row.low, row.high, row.value});
      most_ = std::max({most_, row.low, row.high, row.value});
    }
    if (most_ - least_ < 1e-3) most_ = least_ + 1e-3;
  }

  double height() const { return box_.bottom + foot; }

  std::string draw() const {
    std::string out = grid();
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) out += row(chart_.rows[i], i);
    return out;
  }

 private:
  double x(double shift) const { return Scale(least_, most_, box_.left, box_.right)(shift); }

  std::string grid() const {
    std::string out;
    const double step = axis_step(100 * (most_ - least_)) / 100;
    for (double at = std::ceil(least_ / step) * step; at <= most_ + 1e-12; at += step) {
      const double shift = std::abs(at) < 1e-9 ? 0 : at;
      out += svg_line("grid", x(shift), box_.top, x(shift), box_.bottom) +
             svg_label("tick", x(shift), box_.bottom + 16, "middle",
                       shift == 0 ? "0" : fmt::format("{:+g}", std::round(1e6 * shift) / 1e4));
    }
    return out + svg_line("base", x(0), box_.top, x(0), box_.bottom) +
           svg_label("axis", (box_.left + box_.right) / 2, box_.bottom + 34, "middle", chart_.axis);
  }

  std::string row(const ShiftRow& row, std::size_t place) const {
    const double top = box_.top + row_ * static_cast<double>(place);
    const double middle = top + (names_above_ ? row_ - 12 : row_ / 2);
    const std::string name = names_above_ ? svg_label("s-name", box_.left, top + 13, "start", row.name)
                                          : svg_label("s-name", box_.left - 12, middle + 4, "end", row.name);
    return name + (chart_.mark == ShiftMark::interval ? interval(row, middle) : bars(row, middle));
  }

  std::string interval(const ShiftRow& row, double y) const {
    return svg_line("s-line", x(row.low), y, x(row.high), y) +
           fmt::format("<circle class=\"s-dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{}</title></circle>\n",
                       x(row.value), y, html_text(text_of(row.value))) +
           svg_label("s-value", box_.right + 78, y + 4, "end", text_of(row.value));
  }

  std::string bars(const ShiftRow& row, double y) const {
    const auto bar = [&](double shift, std::string_view style) {
      return svg_rectangle(style, {std::min(x(0), x(shift)), y - 7, std::max(x(0), x(shift)), y + 7}, text_of(shift));
    };
    return bar(row.low, "s-less") + bar(row.high, "s-more");
  }

  static std::string text_of(double shift) { return fmt::format("{:+.1f} %", 100 * shift); }

  const ShiftChart& chart_;
  bool names_above_;
  double row_;
  Rectangle box_;
  double least_ = 0, most_ = 0;
};

}  // namespace

std::string shift_svg(const ShiftChart& chart, double width) {
  const ShiftDrawing drawing(chart, width);
  return open_svg(chart.text, width, drawing.height()) + drawing.draw() + "</svg>\n";
}

std::string_view shift_style() {
  return ".s-line{stroke:var(--muted,#888);stroke-width:2}.s-dot{fill:var(--accent,#0072b2)}"
         ".s-less{fill:#d55e00}.s-more{fill:#0072b2}.s-name,.s-value{font-size:13px;fill:currentColor}\n";
}

}  // namespace clusterwright
