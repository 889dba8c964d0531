// SPDX-License-Identifier: Apache-2.0
/// Charts as inline SVG. Colours and strokes come from the classes of the page's style sheet, so that one drawing works
/// in light, dark and print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Texts of a chart for readers who cannot see it.
struct ChartText {
  std::string id;  ///< unique on the page
  std::string title;
  std::string description;  ///< one sentence
};

struct Rectangle {
  double left, top, right, bottom;
};

/// Data to pixels, linear.
class Scale {
 public:
  Scale(double from, double to, double first_pixel, double last_pixel)
      : from_(from), to_(to), first_(first_pixel), last_(last_pixel) {}
  double operator()(double value) const {
    if (to_ == from_) return (first_ + last_) / 2;
    return first_ + (value - from_) / (to_ - from_) * (last_ - first_);
  }

 private:
  double from_, to_, first_, last_;
};

/// The start of a chart; "</svg>\n" ends it.
std::string open_svg(const ChartText& text, double width, double height);
std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2);
/// @param anchor  "start", "middle" or "end"
std::string svg_label(std::string_view style, double x, double y, std::string_view anchor, std::string_view text);

/// Round step of an axis that spans so much, with three to five lines.
double axis_step(double span);

/// @param title  shown while the pointer rests on it; none if empty
std::string svg_rectangle(std::string_view style, const Rectangle& box, std::string_view title);
/// Bar that shows how long a round number of metres is.
/// @param longest  metres that it may have at most; 0.1 if less
std::string svg_meter_bar(double left, double y, double pixels_per_meter, double longest);

struct CurvePoint {
  int gpus = 0;
  double efficiency = 0;
  double low = 0;  ///< lower end of the 90 % band
  double high = 0;
};

struct EfficiencyChart {
  ChartText text;
  std::vector<CurvePoint> points;  ///< ascending in GPUs, at least one
  std::vector<int> impossible;     ///< sizes that do not fit or cannot be used, marked on the axis
  std::optional<int> knee;
};

/// Efficiency against GPUs on a logarithmic axis.
std::string efficiency_svg(const EfficiencyChart& chart, double width);

struct BreakdownBar {
  std::string label;           ///< "16,384 GPUs"
  std::string total;           ///< "4.57 s"
  std::vector<double> shares;  ///< shares of the step by StepCharge; their sum is 1
};

struct BreakdownChart {
  ChartText text;
  std::vector<BreakdownBar> bars;
};

/// One horizontal bar of full width per size, split by cause.
std::string breakdown_svg(const BreakdownChart& chart, double width);

/// The class of a charge's colour: "k-bubble".
std::string charge_class(std::size_t charge);

}  // namespace clusterwright
