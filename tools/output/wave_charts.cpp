// SPDX-License-Identifier: Apache-2.0
#include "tools/output/wave_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double chart_height = 300;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double span() const { return high - low; }
};

/// "0.5", "20": no more digits than it has.
std::string tick_text(double value) {
  return fmt::format("{:.6g}", std::abs(value) < 1e-12 ? 0 : value);
}

class WaveDrawing {
 public:
  WaveDrawing(const WaveChart& chart, double width) : chart_(chart), box_{64, 30, width - 16, chart_height - 44} {
    for (const WaveCurve& curve : chart.curves)
      for (const auto& [x, y] : curve.points) {
        x_.add(place(x));
        y_.add(y);
      }
    for (const WaveLine& line : chart.lines) y_.add(line.value);
    if (chart.from_zero) y_.add(0);
    if (y_.span() <= 0) y_.add(y_.high + 1);
    const double spare = 0.06 * y_.span();
    y_.high += spare;
    if (!chart.from_zero) y_.low -= spare;
  }

  std::string draw() const {
    std::string out = grid() + axis();
    for (const WaveCurve& curve : chart_.curves) out += shape(curve);
    for (const WaveLine& line : chart_.lines)
      out += svg_line("w-limit", box_.left, y(line.value), box_.right, y(line.value)) +
             svg_label("w-name", box_.left + 6, y(line.value) - 5, "start", line.name);
    return out;
  }

 private:
  double place(double x) const { return chart_.logarithmic ? std::log10(x) : x; }
  double x(double value) const { return Scale(x_.low, x_.high, box_.left, box_.right)(place(value)); }
  double y(double value) const { return Scale(y_.low, y_.high, box_.bottom, box_.top)(value); }

  std::string grid() const {
    const double step = axis_step(y_.span());
    std::string out;
    for (double value = std::ceil(y_.low / step) * step; value <= y_.high; value += step)
      out += svg_line("grid", box_.left, y(value), box_.right, y(value)) +
             svg_label("tick", box_.left - 7, y(value) + 4, "end", tick_text(value));
    return out + svg_label("axis", 4, 16, "start", chart_.y_name);
  }

  std::vector<double> ticks() const {
    std::vector<double> out;
    if (chart_.logarithmic) {
      for (const double hertz : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0})
        if (place(hertz) >= x_.low && place(hertz) <= x_.high) out.push_back(hertz);
      return out;
    }
    const double step = axis_step(x_.span());
    for (double value = std::ceil(x_.low / step) * step; value <= x_.high; value += step) out.push_back(value);
    return out;
  }

  std::string axis() const {
    std::string out = svg_line("base", box_.left, box_.bottom, box_.right, box_.bottom);
    for (const double value : ticks())
      out += svg_line("base", x(value), box_.bottom, x(value), box_.bottom + 4) +
             svg_label("tick", x(value), box_.bottom + 18, "middle", tick_text(value));
    return out + svg_label("axis", (box_.left + box_.right) / 2, chart_height - 6, "middle", chart_.x_name);
  }

  /// A line; where several points fall on a pixel, it runs from the lowest to the highest of them.
  std::string shape(const WaveCurve& curve) const {
    std::string path;
    for (std::size_t i = 0; i < curve.points.size();) {
      const double pixel = std::floor(x(curve.points[i].first) * 2);
      Range values;
      for (; i < curve.points.size() && std::floor(x(curve.points[i].first) * 2) == pixel; ++i)
        values.add(curve.points[i].second);
      path += fmt::format("{:.1f},{:.1f} ", pixel / 2, y(values.low));
      if (values.span() > 0) path += fmt::format("{:.1f},{:.1f} ", pixel / 2, y(values.high));
    }
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", curve.style, path);
  }

  const WaveChart& chart_;
  Rectangle box_;
  Range x_, y_;
};

WaveCurve curve_of(std::string name, std::string_view style, const PowerSignal& signal, double unit, Seconds until) {
  WaveCurve curve{std::move(name), style, {}};
  const double every = signal.every.in(second);
  for (std::size_t i = 0; i < signal.watts.size() && static_cast<double>(i) * every <= until.in(second); ++i)
    curve.points.emplace_back(static_cast<double>(i) * every, signal.watts[i] / unit);
  return curve;
}

/// Watts of the unit in which a power is read, and its name.
std::pair<double, std::string> unit_of(Watts power) {
  if (power >= 1 * megawatt) return {1e6, "MW"};
  if (power >= 2 * kilowatt) return {1e3, "kW"};
  return {1, "W"};
}

/// Both variants of a level, the drawn one below.
WaveChart level_chart(const JobWave& wave, WaveLevel level, Seconds until) {
  const std::string name(wave_level_names[static_cast<std::size_t>(level)]);
  const SignalFigures& figures = wave.drawn().figures[static_cast<std::size_t>(level)];
  const auto [unit, unit_name] = unit_of(figures.peak);
  WaveChart chart{
      {"wave-" + name, "Power of the " + name + " over time",
       fmt::format("Power of the {} over {} s, from {} to {} {}.", name, significant_text(until.in(second), 3),
                   significant_text(figures.trough.in(watt) / unit, 3),
                   significant_text(figures.peak.in(watt) / unit, 3), unit_name)},
      "Time, s",
      unit_name,
      {},
      {},
      false,
      false};
  chart.curves.push_back(curve_of(wave.drawn().name, "w-drawn", wave.drawn().wave.at(level), unit, until));
  if (wave.variants.size() > 1)
    chart.curves.push_back(curve_of(wave.held().name, "w-held", wave.held().wave.at(level), unit, until));
  return chart;
}

WaveChart spectrum_chart(const JobWave& wave) {
  const auto [unit, unit_name] = unit_of(wave.drawn().figures.back().swing());
  WaveChart chart{{"wave-spectrum", "Oscillations of the power from the grid",
                   "Swing from peak to peak at each frequency from 0.1 to 20 Hz."},
                  "Frequency, Hz",
                  unit_name + " peak to peak",
                  {},
                  {},
                  true,
                  true};
  const auto add = [&, unit = unit](const WaveVariant& variant, std::string_view style) {
    WaveCurve curve{variant.name, style, {}};
    for (const SpectralLine& line : spectrum_of(variant.wave.at(WaveLevel::grid), highest_band_hz))
      if (line.hertz >= lowest_band_hz) curve.points.emplace_back(line.hertz, line.swing.in(watt) / unit);
    chart.curves.push_back(std::move(curve));
  };
  add(wave.drawn(), "w-drawn");
  if (wave.variants.size() > 1) add(wave.held(), "w-held");
  return chart;
}

std::string legend(const WaveChart& chart) {
  if (chart.curves.size() < 2) return {};
  std::string out = "<ul class=\"legend\">";
  for (const WaveCurve& curve : chart.curves)
    out += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><line class=\"{}\" x1=\"0\" y1=\"6\" x2=\"12\" "
        "y2=\"6\"/></svg>{}</li>",
        curve.style, html_text(curve.name));
  return out + "</ul>\n";
}

std::string figure(const WaveChart& chart, std::string_view caption) {
  return html_figure(legend(chart), both_widths(chart, wave_svg), caption);
}

/// Lines for what the site is planned for, and for what the utility lets it swing around its mean.
void add_limits(const JobWave& wave, WaveChart& chart) {
  const auto [unit, unit_name] = unit_of(wave.drawn().figures.back().peak);
  for (const GridLine& line : wave.grid_lines) chart.lines.push_back({line.name, line.power.in(watt) / unit});
}

}  // namespace

std::string wave_svg(const WaveChart& chart, double width) {
  return open_svg(chart.text, width, chart_height) + WaveDrawing(chart, width).draw() + "</svg>\n";
}

std::string_view wave_chart_style() {
  return "svg .w-drawn { fill: none; stroke: var(--muted); stroke-width: 1.2; stroke-linejoin: round; }\n"
         "svg .w-held { fill: none; stroke: var(--accent); stroke-width: 1.6; stroke-linejoin: round; }\n"
         "svg .w-limit { stroke: var(--warn); stroke-dasharray: 6 4; }\n"
         "svg .w-name { fill: var(--warn); paint-order: stroke; stroke: var(--halo); stroke-width: 4px; }\n";
}

std::string wave_sections(const JobWave& wave) {
  WaveChart grid = level_chart(wave, WaveLevel::grid, wave.length);
  add_limits(wave, grid);
  const Seconds few = std::min(wave.length, 3 * wave.step);
  std::string near;
  for (const WaveLevel level : {WaveLevel::accelerator, WaveLevel::rack})
    near += figure(level_chart(wave, level, few),
                   level == WaveLevel::accelerator
                       ? "One accelerator of the stage with the largest swing, before its supply; three steps."
                       : "The rack with the largest swing, behind its supplies; three steps.");
  return html_section("From the grid", "", figure(grid, "All machines of the site, with losses and cooling.")) +
         html_section("Spectrum", "",
                      figure(spectrum_chart(wave),
                             "Each line is the swing at one frequency. Generators "
                             "and long lines may swing with a load in this band.")) +
         html_section("Three steps", "", near);
}

}  // namespace clusterwright
