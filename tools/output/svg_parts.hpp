// SPDX-License-Identifier: Apache-2.0
/// What every chart is drawn with.
#pragma once

#include <string>
#include <string_view>

namespace clusterwright {

/// What every chart carries for people who cannot see it.
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

}  // namespace clusterwright
