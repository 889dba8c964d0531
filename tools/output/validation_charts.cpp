// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t colours = 10;
constexpr double row_pitch = 24;
constexpr double plot_head = 26;
constexpr double touch_width = 500;  // pixels; below it there is no pointer to hover with

/// A mark centred at a place: circles for the first ten groups, then squares, then triangles.
std::string shape(std::size_t group, double x, double y, double r) {
  const std::string style = fmt::format("class=\"mark f{}\"", group % colours);
  switch (group / colours % 3) {
    case 0:
      return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", style, x, y, r);
    case 1:
      return fmt::format("<rect {} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"", style, x - r, y - r, 2 * r,
                         2 * r);
    default:
      return fmt::format("<polygon {} points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"", style, x, y - r, x - r,
                         y + r, x + r, y + r);
  }
}

/// Values at which a logarithmic axis is labelled: decades, and 2 and 5 between few of them.
std::vector<double> log_ticks(double from, double to) {
  const bool few = std::log10(to / from) < 3;
  std::vector<double> out;
  for (double decade = std::pow(10, std::floor(std::log10(from))); decade <= to; decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if ((few || digit == 1) && decade * digit >= from && decade * digit <= to) out.push_back(decade * digit);
  return out;
}

class ScatterDrawing {
 public:
  ScatterDrawing(const ScatterChart& chart, double width)
      : chart_(chart), width_(width), height_(width < touch_width ? width : 0.58 * width) {
    from_ = to_ = chart.points.front().measured;
    for (const ScatterPoint& point : chart.points)
      for (const double value : {point.measured, point.predicted}) {
        from_ = std::min(from_, value);
        to_ = std::max(to_, value);
      }
    from_ /= 1.2;
    to_ *= 1.2;
    for (const double tick : log_ticks(from_, to_)) label_ = std::max(label_, label_width(tick));
  }

  std::string draw() const { return open_svg(chart_.text, width_, height_) + grid() + band() + marks() + "</svg>\n"; }

 private:
  static double label_width(double tick) { return 7.0 * static_cast<double>(significant_text(tick, 1).size()); }
  double left() const { return label_ + 14; }
  double bottom() const { return height_ - 48; }
  double x(double value) const { return Scale(std::log(from_), std::log(to_), left(), width_ - 14)(std::log(value)); }
  double y(double value) const { return Scale(std::log(from_), std::log(to_), bottom(), 28)(std::log(value)); }

  std::string grid() const {
    std::string out = svg_label("axis", 4, 14, "start", "Predicted, " + chart_.unit) +
                      svg_label("axis", (left() + width_) / 2, height_ - 8, "middle", "Measured, " + chart_.unit);
    double labelled = 0;
    for (const double tick : log_ticks(from_, to_)) {
      out += svg_line("grid", left(), y(tick), width_ - 14, y(tick)) + svg_line("grid", x(tick), 28, x(tick), bottom());
      out += svg_label("tick", left() - 8, y(tick) + 4, "end", significant_text(tick, 1));
      const double half = label_width(tick) / 2;
      if (x(tick) - half < labelled || x(tick) + half > width_) continue;
      labelled = x(tick) + half + 2;
      out += svg_label("tick", x(tick), bottom() + 18, "middle", significant_text(tick, 1));
    }
    return out;
  }

  std::string band() const {
    const double up = 1.1;
    return fmt::format(
               "<polygon class=\"band\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} "
               "{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
               x(from_), y(from_), x(from_), y(from_ * up), x(to_ / up), y(to_), x(to_), y(to_), x(to_), y(to_ / up),
               x(from_ * up), y(from_)) +
           svg_line("ideal", x(from_), y(from_), x(to_), y(to_));
  }

  std::string marks() const {
    std::string out;
    for (const ScatterPoint& point : chart_.points) {
      out += shape(point.group, x(point.measured), y(point.predicted), width_ < touch_width ? 2.2 : 3.4);
      out += width_ < touch_width ? "/>\n" : fmt::format("><title>{}</title>{}\n", html_text(point.title), end(point));
    }
    return out;
  }

  static std::string_view end(const ScatterPoint& point) {
    constexpr std::string_view ends[] = {"</circle>", "</rect>", "</polygon>"};
    return ends[point.group / colours % 3];
  }

  const ScatterChart& chart_;
  double width_, height_;
  double from_ = 0, to_ = 0;
  double label_ = 50;  ///< width of the widest label
};

/// Space for the labels of lines, and the axis beside it.
struct Lines {
  double left, right, width, height;

  template <class Line>
  Lines(const std::vector<Line>& lines, double chart_width)
      : right(chart_width - 52),
        width(chart_width),
        height(plot_head + row_pitch * static_cast<double>(lines.size()) + 6) {
    std::size_t longest = 4;
    for (const Line& line : lines) longest = std::max(longest, line.label.size());
    left = 16 + 7.7 * static_cast<double>(longest);
  }
  static double top(std::size_t i) { return plot_head + row_pitch * static_cast<double>(i); }
};

std::string signed_percent(double log_error) {
  return fmt::format("{}{}", log_error < 0 ? "\xe2\x88\x92" : "+", percent_text(std::abs(log_error), 1));
}

}  // namespace

std::string mark_svg(std::size_t group) {
  return "<svg viewBox=\"0 0 12 12\" aria-hidden=\"true\">" + shape(group, 6, 6, 4.6) + "/></svg>";
}

std::string scatter_svg(const ScatterChart& chart, double width) {
  return ScatterDrawing(chart, width).draw();
}

std::string error_boxes_svg(const ErrorBoxChart& chart, double width) {
  constexpr double most = 0.5;  // a logarithm; what lies beyond is drawn at the edge
  const Lines lines(chart.boxes, width);
  const Scale scale(-most, most, lines.left, lines.right);
  const auto x = [&](double error) { return scale(std::clamp(error, -most, most)); };
  std::string out = open_svg(chart.text, width, lines.height);
  out += fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", x(-0.1),
                     plot_head, x(0.1) - x(-0.1), lines.height - plot_head);
  for (const double tick : {-0.4, -0.2, 0.0, 0.2, 0.4})
    out += svg_line(tick == 0 ? "ideal" : "grid", x(tick), plot_head, x(tick), lines.height) +
           (width < touch_width && std::abs(tick) == 0.2
                ? ""
                : svg_label("tick", x(tick), 16, "middle", fixed_text(100 * tick, 0) + " %"));
  for (std::size_t i = 0; i < chart.boxes.size(); ++i) {
    const ErrorBox& box = chart.boxes[i];
    const double middle = Lines::top(i) + row_pitch / 2;
    out += svg_label("tick", lines.left - 8, middle + 4, "end", box.label);
    out += svg_line("base", x(box.low), middle, x(box.high), middle);
    out += fmt::format("<rect class=\"box\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\"/>\n", x(box.lower),
                       middle - 6, std::max(1.0, x(box.upper) - x(box.lower)));
    out += svg_line("median", x(box.median), middle - 8, x(box.median), middle + 8);
    out += svg_label("tick", width - 2, middle + 4, "end", signed_percent(box.median));
  }
  return out + "</svg>\n";
}

std::string shares_svg(const ShareChart& chart, double width) {
  const Lines lines(chart.bars, width);
  const Scale x(0, 1, lines.left, lines.right);
  std::string out = open_svg(chart.text, width, lines.height);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const ShareBar& bar = chart.bars[i];
    const double middle = Lines::top(i) + row_pitch / 2;
    out += svg_label("tick", lines.left - 8, middle + 4, "end", bar.label);
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\"/>\n",
                       bar.share < chart.from ? "box short" : "box", x(0), middle - 7, x(bar.share) - x(0));
    out += svg_label("tick", width - 2, middle + 4, "end", percent_text(bar.share, 0));
  }
  for (const double edge : {chart.from, chart.to})
    out += svg_line("ideal", x(edge), plot_head - 4, x(edge), lines.height);
  out += svg_label("tick", x(chart.from), 16, "end", percent_text(chart.from, 0));
  out += svg_label("tick", x(chart.to), 16, "start", percent_text(chart.to, 0));
  return out + "</svg>\n";
}

std::string_view validation_style() {
  return R"css(
svg .mark { fill-opacity: .72; stroke: none; }
svg .mark:hover { fill-opacity: 1; stroke: var(--ink); }
svg .box { fill: var(--accent); fill-opacity: .5; } svg .box.short { fill: var(--warn); }
svg .median { stroke: var(--ink); stroke-width: 2; }
.f0 { fill: #0072b2; } .f1 { fill: #d55e00; } .f2 { fill: #009e73; } .f3 { fill: #cc79a7; } .f4 { fill: #e69f00; }
.f5 { fill: #56b4e9; } .f6 { fill: #8f5cc4; } .f7 { fill: #7f8894; } .f8 { fill: #a9543f; } .f9 { fill: #7a9a01; }
@media (prefers-color-scheme: dark) {
  .f0 { fill: #3d9fe0; } .f1 { fill: #f07a2a; } .f2 { fill: #2fc79b; } .f6 { fill: #ad84e6; } .f8 { fill: #cf7562; }
}
)css";
}

}  // namespace clusterwright
