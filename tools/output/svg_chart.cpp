// SPDX-License-Identifier: Apache-2.0
#include "tools/output/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/output_text.hpp"

namespace clusterwright {

std::string open_svg(const ChartText& text, double width, double height) {
  return fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
      "width=\"{1:.0f}\" height=\"{2:.0f}\">\n<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n",
      text.id, width, height, html_text(text.title), html_text(text.description));
}

std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                     x2, y2);
}

std::string svg_label(std::string_view style, double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y, anchor,
                     html_text(text));
}

double axis_step(double span) {
  const double decade = std::pow(10, std::floor(std::log10(span / 3)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (span / (digit * decade) <= 5) return digit * decade;
  return 10 * decade;
}

std::string svg_rectangle(std::string_view style, const Rectangle& box, std::string_view title) {
  const std::string words = title.empty() ? std::string() : fmt::format("<title>{}</title>", html_text(title));
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>\n",
                     style, box.left, box.top, box.right - box.left, box.bottom - box.top, words);
}

namespace {

/// Largest length of 1, 2 or 5 times a power of ten metres that is at most `most`.
double round_length(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most)));
  for (const double digit : {5.0, 2.0})
    if (digit * decade <= most) return digit * decade;
  return decade;
}

}  // namespace

std::string svg_meter_bar(double left, double y, double pixels_per_meter, double longest) {
  const double meters = round_length(std::max(0.1, longest));
  const double end = left + meters * pixels_per_meter;
  std::string out = svg_line("base", left, y, end, y);
  for (const double x : {left, end}) out += svg_line("base", x, y - 4, x, y + 4);
  return out + svg_label("tick", end + 8, y + 5, "start", significant_text(meters, 1) + " m");
}

namespace {

/// Efficiency axis: whole tens of percent around everything that is drawn.
struct EfficiencyRange {
  double from = 0;
  double to = 1;
  double step = 0.1;
};

EfficiencyRange range_of(const std::vector<CurvePoint>& points) {
  double low = 1, high = 1;
  for (const CurvePoint& point : points) {
    low = std::min(low, point.low);
    high = std::max(high, point.high);
  }
  EfficiencyRange range;
  range.from = std::clamp(std::floor(low * 10 - 0.5) / 10, 0.0, 0.9);
  range.to = std::ceil(high * 10 - 1e-9) / 10;
  if (range.to - range.from > 0.6) range.step = 0.2;
  if (range.to - range.from > 2) range.step = std::ceil(range.to / 5);
  if (range.step > 0.1) range.from = std::floor(range.from / range.step + 1e-9) * range.step;
  return range;
}

/// Positions, out of ascending ones, that keep a distance; the last one always stays.
std::vector<bool> spaced(const std::vector<double>& positions, double distance) {
  std::vector<bool> keep(positions.size(), false);
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t i = positions.size(); i-- > 0;) {
    keep[i] = next - positions[i] >= distance;
    if (keep[i]) next = positions[i];
  }
  return keep;
}

/// The drawing of one efficiency curve.
class EfficiencyDrawing {
 public:
  EfficiencyDrawing(const EfficiencyChart& chart, double width)
      : chart_(chart),
        width_(width),
        box_{56, 30, width - 26, height - 56},
        range_(range_of(chart.points)),
        x_(std::log2(smallest()), std::log2(largest()), box_.left + 18, box_.right - 10),
        y_(range_.from, range_.to, box_.bottom, box_.top) {}

  std::string draw() const {
    return open_svg(chart_.text, width_, height) + grid() + sizes() + band() + curve() + knee() + points() + "</svg>\n";
  }

 private:
  static constexpr double height = 360;

  double smallest() const {
    const int first = chart_.points.front().gpus;
    return chart_.impossible.empty() ? first : std::min(first, chart_.impossible.front());
  }
  double largest() const {
    const int last = chart_.points.back().gpus;
    return chart_.impossible.empty() ? last : std::max(last, chart_.impossible.back());
  }
  double at(int gpus) const { return x_(std::log2(gpus)); }

  std::string grid() const {
    std::string out;
    for (int i = 0; range_.from + i * range_.step <= range_.to + 1e-9; ++i) {
      const double value = range_.from + i * range_.step;
      const bool ideal = std::abs(value - 1) < 1e-9;
      out += svg_line(ideal ? "ideal" : "grid", box_.left, y_(value), box_.right, y_(value));
      out += svg_label("tick", box_.left - 8, y_(value) + 4, "end", fixed_text(100 * value, 0) + " %");
    }
    out += svg_label("axis", 4, 14, "start", "Efficiency: tokens/s per GPU, first size = 100 %");
    return out + svg_label("axis", (box_.left + box_.right) / 2, height - 10, "middle", "GPUs, logarithmic");
  }

  std::string sizes() const {
    std::vector<int> all = chart_.impossible;
    for (const CurvePoint& point : chart_.points) all.push_back(point.gpus);
    std::sort(all.begin(), all.end());
    std::vector<double> positions;
    for (const int gpus : all) positions.push_back(at(gpus));
    const double wide = 14 + 7.2 * static_cast<double>(count_text(all.back()).size());
    const std::vector<bool> keep = spaced(positions, wide);
    std::string out = svg_line("base", box_.left, box_.bottom, box_.right, box_.bottom);
    for (std::size_t i = 0; i < all.size(); ++i) {
      out += svg_line("base", positions[i], box_.bottom, positions[i], box_.bottom + 5);
      if (keep[i]) out += svg_label("tick", positions[i], box_.bottom + 21, "middle", count_text(all[i]));
    }
    for (const int gpus : chart_.impossible)
      out += svg_label("impossible", at(gpus), box_.bottom - 6, "middle", "\xc3\x97");
    return out;
  }

  std::string band() const {
    if (chart_.points.size() < 2) return {};
    std::string upper, lower;
    for (const CurvePoint& point : chart_.points) {
      upper += fmt::format("{:.1f},{:.1f} ", at(point.gpus), y_(point.high));
      lower = fmt::format("{:.1f},{:.1f} ", at(point.gpus), y_(point.low)) + lower;
    }
    return fmt::format("<polygon class=\"band\" points=\"{}{}\"/>\n", upper, lower);
  }

  std::string curve() const {
    std::string path;
    for (const CurvePoint& point : chart_.points)
      path += fmt::format("{:.1f},{:.1f} ", at(point.gpus), y_(point.efficiency));
    return fmt::format("<polyline class=\"curve\" points=\"{}\"/>\n", path);
  }

  std::string knee() const {
    if (!chart_.knee) return {};
    const double x = at(*chart_.knee);
    const bool left = x > (box_.left + box_.right) / 2;
    return svg_line("knee", x, box_.top, x, box_.bottom) +
           svg_label("note", left ? x - 7 : x + 7, box_.bottom - 10, left ? "end" : "start",
                     fmt::format("knee: {} GPUs", count_text(*chart_.knee)));
  }

  std::string points() const {
    std::vector<double> positions;
    for (const CurvePoint& point : chart_.points) positions.push_back(at(point.gpus));
    const std::vector<bool> keep = spaced(positions, 46);
    std::string out;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const CurvePoint& point = chart_.points[i];
      const double y = y_(point.efficiency);
      out += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"/>\n", positions[i], y);
      if (keep[i])
        out += svg_label("value", positions[i], y - 11, "middle", fixed_text(100 * point.efficiency, 1) + " %");
    }
    return out;
  }

  const EfficiencyChart& chart_;
  double width_;
  Rectangle box_;
  EfficiencyRange range_;
  Scale x_;
  Scale y_;
};

constexpr double bar_pitch = 34;
constexpr double bar_height = 22;

/// Segments of one bar; a share is written into its segment where there is room.
std::string bar_segments(const BreakdownBar& bar, double left, double right, double top) {
  std::string out;
  double begin = left;
  for (std::size_t charge = 0; charge < bar.shares.size(); ++charge) {
    const double width = bar.shares[charge] * (right - left);
    constexpr double gap = 1;
    if (width > 0.2)
      out += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"/>\n",
                         charge_class(charge), begin, top, std::max(width - gap, 0.4), bar_height);
    if (width > 30)
      out += svg_label(fmt::format("share {}-ink", charge_class(charge)), begin + width / 2, top + 15.5, "middle",
                       fixed_text(100 * bar.shares[charge], 0) + "%");
    begin += width;
  }
  return out;
}

}  // namespace

std::string efficiency_svg(const EfficiencyChart& chart, double width) {
  return EfficiencyDrawing(chart, width).draw();
}

std::string breakdown_svg(const BreakdownChart& chart, double width) {
  std::size_t label_length = 4, total_length = 4;
  for (const BreakdownBar& bar : chart.bars) {
    label_length = std::max(label_length, bar.label.size());
    total_length = std::max(total_length, bar.total.size());
  }
  const double left = 16 + 8.2 * static_cast<double>(label_length);
  const double right = width - 14 - 7.2 * static_cast<double>(total_length);
  constexpr double head = 24;
  std::string out = open_svg(chart.text, width, head + bar_pitch * static_cast<double>(chart.bars.size()) + 4);
  out += svg_label("axis", left - 10, 14, "end", "GPUs") + svg_label("axis", left, 14, "start", "Share of the step") +
         svg_label("axis", width - 2, 14, "end", "Step");
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const double top = head + bar_pitch * static_cast<double>(i);
    out += svg_label("tick strong", left - 10, top + 16, "end", chart.bars[i].label);
    out += bar_segments(chart.bars[i], left, right, top);
    out += svg_label("tick", width - 2, top + 16, "end", chart.bars[i].total);
  }
  return out + "</svg>\n";
}

std::string charge_class(std::size_t charge) {
  return fmt::format("k-{}", step_charge_names[charge]);
}

}  // namespace clusterwright
