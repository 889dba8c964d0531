// SPDX-License-Identifier: Apache-2.0
#include "topology/network/valiant_mixture.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// Seconds of one link over x: at0 + x * slope.
struct Line {
  double at0 = 0;
  double slope = 0;
  double at(double x) const { return at0 + x * slope; }
};

std::vector<Line> lines_of(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b) {
  std::vector<Line> lines;
  for (const LinkId link : a.ids()) {
    if (a[link] == 0 && b[link] == 0) continue;
    const double capacity = graph.capacity(link).in(byte_per_second);
    lines.push_back({b[link] / capacity, (a[link] - b[link]) / capacity});
  }
  return lines;
}

Line highest(const std::vector<Line>& lines, double x) {
  Line top;
  for (const Line& line : lines)
    if (line.at(x) > top.at(x)) top = line;
  return top;
}

constexpr double slope_rounding = 1e-14;

/// Height at which the highest of `lines` is lowest. A falling and a rising line close in on it: where they cross,
/// either no other is higher, or the highest one takes the place of one of the two.
double lowest_height(const std::vector<Line>& lines) {
  Line falling = highest(lines, 0);
  if (falling.slope >= 0) return falling.at(0);
  Line rising = highest(lines, 1);
  if (rising.slope <= 0) return rising.at(1);
  double lowest = std::min(falling.at(0), rising.at(1));
  for (std::size_t i = 0; i < lines.size(); ++i) {  // each line takes a place at most once
    const double x = (falling.at0 - rising.at0) / (rising.slope - falling.slope);
    const Line top = highest(lines, x);
    lowest = std::min(lowest, top.at(x));
    if (top.at(x) <= falling.at(x) * (1 + slope_rounding) || top.slope == 0) break;
    (top.slope < 0 ? falling : rising) = top;
  }
  return lowest;
}

/// Largest x in 0..1 where no line is above the lowest height: of equally good mixtures, that with most shortest
/// paths.
double best_share(const std::vector<Line>& lines) {
  const double height = lowest_height(lines);
  double x = 1;
  for (const Line& line : lines)
    if (line.slope > 0 && line.at(x) > height * (1 + slope_rounding))
      x = std::max(0.0, (height - line.at0) / line.slope);
  return x;
}

}  // namespace

LinkLoads least_busy_mixture(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b) {
  const double x = best_share(lines_of(graph, a, b));
  LinkLoads mixture(a.size());
  for (const LinkId link : a.ids()) mixture[link] = x * a[link] + (1 - x) * b[link];
  return mixture;
}

}  // namespace clusterwright
