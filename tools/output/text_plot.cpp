// SPDX-License-Identifier: Apache-2.0
#include "tools/output/text_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/output/number_text.hpp"

namespace clusterwright {

namespace {

/// Powers of ten, in letters that stand behind a number: 1.2M.
std::string short_number(double value) {
  constexpr const char* letters[] = {"", "k", "M", "G", "T", "P"};
  int step = 0;
  for (; value >= 1000 && step < 5; ++step) value /= 1000;
  return significant_text(value, 2) + letters[step];
}

class Canvas {
 public:
  explicit Canvas(const TextPlot& plot) : plot_(plot), counts_(cells(plot), 0) {
    if (plot.points.empty()) return;
    const auto [low, high] =
        std::minmax_element(plot.points.begin(), plot.points.end(), [](auto a, auto b) { return a.x < b.x; });
    low_ = low->x;
    high_ = std::max(high->x, low->x * 1.001);
    for (const PlotPoint& point : plot.points) ++counts_[cell(column(point.x), row(point.y))];
  }

  std::string text() const {
    std::string out = plot_.title + "\n";
    for (int r = 0; r < plot_.height; ++r) out += line(r);
    const std::string left = short_number(low_), right = short_number(high_);
    const int gap = std::max(1, plot_.width - static_cast<int>(left.size() + right.size()));
    return out + fmt::format("{:>8}{}{:>{}}{}  {}\n", "", left, "", gap, right, plot_.x_label);
  }

 private:
  static std::size_t cells(const TextPlot& plot) {
    return static_cast<std::size_t>(plot.width) * static_cast<std::size_t>(plot.height);
  }
  std::size_t cell(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(plot_.width) + static_cast<std::size_t>(column);
  }
  int column(double x) const {
    const double share = std::log(x / low_) / std::log(high_ / low_);
    return std::clamp(static_cast<int>(share * (plot_.width - 1) + 0.5), 0, plot_.width - 1);
  }
  int row(double y) const {
    const double share = (plot_.y_most - y) / (2 * plot_.y_most);
    return std::clamp(static_cast<int>(std::floor(share * (plot_.height - 1) + 0.5)), 0, plot_.height - 1);
  }

  char mark(int column_at, int row_at) const {
    const int count = counts_[cell(column_at, row_at)];
    if (count > 4) return '#';
    if (count > 1) return 'o';
    if (count == 1) return '.';
    if (row_at == row(0)) return '-';
    const bool edge =
        plot_.band > 0 && plot_.band < plot_.y_most && (row_at == row(plot_.band) || row_at == row(-plot_.band));
    return edge && column_at % 4 == 0 ? '-' : ' ';
  }

  std::string line(int r) const {
    const double y = plot_.y_most * (1 - 2.0 * r / (plot_.height - 1));
    const bool labelled = r == 0 || r == plot_.height - 1 || r == (plot_.height - 1) / 2;
    std::string out = labelled ? fmt::format("{:>+6.0f}% ", 100 * y) : "        ";
    for (int c = 0; c < plot_.width; ++c) out += mark(c, r);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + (r == 0 ? "  " + plot_.y_label : "") + "\n";
  }

  const TextPlot& plot_;
  std::vector<int> counts_;
  double low_ = 1, high_ = 10;
};

}  // namespace

std::string render_plot(const TextPlot& plot) {
  return Canvas(plot).text();
}

}  // namespace clusterwright
