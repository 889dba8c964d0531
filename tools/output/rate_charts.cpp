// SPDX-License-Identifier: Apache-2.0
#include "tools/output/rate_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double panel_height = 250;
constexpr double column_gap = 18;

/// "64 kB", "16 GB": powers of two, as nccl-tests counts sizes.
std::string size_text(double bytes) {
  constexpr std::array units = {"B", "K", "M", "G"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  return fmt::format("{:.0f}{}", bytes, units[unit]);
}

class RateDrawing {
 public:
  RateDrawing(const RatePanel& panel, double left, double top, double width)
      : panel_(panel), box_{left + 44, top + 50, left + width - 16, top + panel_height - 40} {
    first_ = std::log2(panel.predicted.front().size.in(byte));
    last_ = std::log2(panel.predicted.back().size.in(byte));
    for (const RateBand& band : panel.predicted) top_ = std::max(top_, gigabytes(band.high));
    for (const RatePoint& point : panel.measured) top_ = std::max(top_, gigabytes(point.rate));
    top_ *= 1.04;
  }

  std::string draw() const {
    return svg_label("tick strong", box_.left - 40, box_.top - 34, "start", panel_.heading) +
           svg_label("tick", box_.left - 40, box_.top - 17, "start", panel_.words) + grid() + band() + curve() +
           marks();
  }

 private:
  static double gigabytes(BytesPerSecond rate) { return rate.in(gigabyte_per_second); }
  double x(Bytes size) const { return Scale(first_, last_, box_.left, box_.right)(std::log2(size.in(byte))); }
  double y(double rate) const { return Scale(0, top_, box_.bottom, box_.top)(rate); }

  std::string grid() const {
    std::string out;
    const double step = axis_step(top_);
    for (double rate = 0; rate <= top_; rate += step)
      out += svg_line(rate == 0 ? "base" : "grid", box_.left, y(rate), box_.right, y(rate)) +
             svg_label("tick", box_.left - 6, y(rate) + 4, "end", significant_text(rate, 3));
    const double each = std::max(1.0, std::ceil((last_ - first_) / 5));
    for (double power = std::ceil(first_); power <= last_; power += each) {
      const double at = Scale(first_, last_, box_.left, box_.right)(power);
      out += svg_line("base", at, box_.bottom, at, box_.bottom + 4) +
             svg_label("tick", at, box_.bottom + 18, "middle", size_text(std::exp2(power)));
    }
    return out;
  }

  std::string band() const {
    std::string upper, lower;
    for (const RateBand& at : panel_.predicted) {
      upper += fmt::format("{:.1f},{:.1f} ", x(at.size), y(gigabytes(at.high)));
      lower = fmt::format("{:.1f},{:.1f} ", x(at.size), y(gigabytes(at.low))) + lower;
    }
    return fmt::format("<polygon class=\"band\" points=\"{}{}\"/>\n", upper, lower);
  }

  std::string curve() const {
    std::string path;
    for (const RateBand& at : panel_.predicted)
      path += fmt::format("{:.1f},{:.1f} ", x(at.size), y(gigabytes(at.rate)));
    return fmt::format("<polyline class=\"curve\" points=\"{}\"/>\n", path);
  }

  std::string marks() const {
    std::string out;
    for (const RatePoint& point : panel_.measured)
      out += fmt::format("<circle class=\"measured\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"/>\n", x(point.size),
                         y(gigabytes(point.rate)));
    return out;
  }

  const RatePanel& panel_;
  Rectangle box_;
  double first_ = 0, last_ = 1;  // log2 of bytes
  double top_ = 0;
};

}  // namespace

std::string rates_svg(const RateChart& chart, double width) {
  const std::size_t columns = width > 600 ? 3 : 1;
  const double each = (width - column_gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const std::size_t rows = (chart.panels.size() + columns - 1) / columns;
  const double height = panel_height * static_cast<double>(rows) + 14;
  std::string out = open_svg(chart.text, width, height);
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += RateDrawing(chart.panels[i], static_cast<double>(i % columns) * (each + column_gap),
                       panel_height * static_cast<double>(i / columns), each)
               .draw();
  return out +
         svg_label("axis", width / 2, height - 4, "middle",
                   "Bus bandwidth, GB/s, over the size of the message; line and band: predicted with 90 % "
                   "interval, circles: measured") +
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
