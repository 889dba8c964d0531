// SPDX-License-Identifier: Apache-2.0
#include "tools/output/heat_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double panel_head = 44;
constexpr double panel_gap = 24;
constexpr double panel_foot = 20;

/// "14", "2.3", "0.4": per cent without the sign.
std::string cell_number(double utilisation) {
  const double percent = 100 * utilisation;
  return percent < 0.05 ? "0" : fixed_text(percent, percent < 9.95 ? 1 : 0);
}

/// Cells of a panel in rows: as large as the width allows, up to the size of a number.
struct CellGrid {
  CellGrid(std::size_t cells, double width) {
    constexpr double largest = 40, rows_wanted = 9;
    const auto count = static_cast<double>(std::max<std::size_t>(1, cells));
    size = std::clamp(std::sqrt(width * rows_wanted * 20 / count), 6.0, largest);
    columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / size));
    rows = (cells + columns - 1) / columns;
    height = std::min(size, 24.0);
  }
  bool has_numbers() const { return size >= 34; }

  double size = 0;    ///< width of a cell with its gap
  double height = 0;  ///< the same, downwards
  std::size_t columns = 1, rows = 1;
};

class HeatDrawing {
 public:
  HeatDrawing(const HeatChart& chart, double width) : chart_(chart), width_(width) {
    for (const HeatPanel& panel : chart.panels) ++in_row_[panel.row];
  }

  std::string draw() {
    std::string body;
    double top = 0;
    for (auto row = in_row_.rbegin(); row != in_row_.rend(); ++row) top = add_row(row->first, top, body);
    return open_svg(chart_.text, width_, top) + body + "</svg>\n";
  }

 private:
  bool side_by_side() const { return width_ > 600; }
  double panel_width() const { return side_by_side() ? (width_ - panel_gap) / 2 : width_; }

  double add_row(int row, double top, std::string& body) const {
    double left = 0, bottom = top;
    for (const HeatPanel& panel : chart_.panels) {
      if (panel.row != row) continue;
      const double height = panel_height(panel);
      body += draw(panel, left, side_by_side() ? top : bottom);
      bottom = side_by_side() ? std::max(bottom, top + height) : bottom + height;
      if (side_by_side()) left += panel_width() + panel_gap;
    }
    return bottom;
  }

  double panel_height(const HeatPanel& panel) const {
    const CellGrid grid(panel.cells.size(), panel_width());
    return panel_head + static_cast<double>(grid.rows) * grid.height + panel_foot;
  }

  std::string draw(const HeatPanel& panel, double left, double top) const {
    const CellGrid grid(panel.cells.size(), panel_width());
    std::string out = svg_label("tick strong", left, top + 16, "start", panel.heading) +
                      svg_label("tick", left, top + 34, "start", panel.words);
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const HeatCell& cell = panel.cells[i];
      const std::size_t level = heat_class(cell.utilisation);
      const double x = left + static_cast<double>(i % grid.columns) * grid.size;
      const double y = top + panel_head + static_cast<double>(i / grid.columns) * grid.height;
      const double gap = grid.size > 10 ? 2 : 1;
      out +=
          svg_rectangle(fmt::format("cell h{}", level), {x, y, x + grid.size - gap, y + grid.height - gap}, cell.title);
      if (grid.has_numbers())
        out += svg_label(fmt::format("heat-number i{}", level), x + (grid.size - gap) / 2, y + 15.5, "middle",
                         cell_number(cell.utilisation));
    }
    return out;
  }

  const HeatChart& chart_;
  double width_;
  std::map<int, int> in_row_;  // number of panels
};

/// Ends of a class on the axis of a histogram: "0", "1", "2", ... per cent.
std::string class_edge(std::size_t level) {
  return fmt::format("{:.0f}", 100 * heat_bounds[level - 2]);
}

std::string histogram_svg(const HeatHistogram& panel, double left, double top, double width, double height) {
  const double pitch = width / heat_class_count;
  const double base = top + height - 22, head = top + 40;
  const std::size_t most = std::max<std::size_t>(1, *std::ranges::max_element(panel.links));
  std::string out = svg_label("tick strong", left, top + 14, "start", panel.heading);
  for (std::size_t level = 0; level < heat_class_count; ++level) {
    const double x = left + static_cast<double>(level) * pitch;
    const double share = static_cast<double>(panel.links[level]) / static_cast<double>(most);
    const double y = base - std::max(panel.links[level] > 0 ? 2.0 : 0.0, share * (base - head));
    if (panel.links[level] > 0) {
      out += svg_rectangle(
          fmt::format("cell h{}", level), {x + 1, y, x + pitch - 1, base},
          fmt::format("{}: {} links", heat_class_name(level), count_text(static_cast<long long>(panel.links[level]))));
      out += svg_label("tick", x + pitch / 2, y - 5, "middle", count_text(static_cast<long long>(panel.links[level])));
    }
    if (level >= 2) out += svg_label("tick", x, base + 16, "middle", class_edge(level));
  }
  out += svg_label("tick", left + pitch / 2, base + 16, "middle", "idle");
  return out + svg_line("base", left, base, left + width, base);
}

}  // namespace

std::string heat_svg(const HeatChart& chart, double width) {
  return HeatDrawing(chart, width).draw();
}

std::string heat_histograms_svg(const HeatHistogramChart& chart, double width) {
  constexpr double height = 168;
  const std::size_t columns = width > 600 ? 2 : 1;
  const double each = (width - panel_gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const std::size_t rows = (chart.panels.size() + columns - 1) / columns;
  std::string out = open_svg(chart.text, width, height * static_cast<double>(rows) + 18);
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += histogram_svg(chart.panels[i], static_cast<double>(i % columns) * (each + panel_gap),
                         height * static_cast<double>(i / columns), each, height - 12);
  return out + svg_label("axis", 0, height * static_cast<double>(rows) + 10, "start", "Utilisation over the step, %") +
         "</svg>\n";
}

std::string heat_legend() {
  std::string items;
  for (std::size_t level = 0; level < heat_class_count; ++level)
    items += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"cell h{}\" x=\"0.5\" y=\"0.5\" "
        "width=\"11\" height=\"11\"/></svg>{}</li>\n",
        level, html_text(heat_class_name(level)));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

std::string heat_style() {
  std::string out =
      "svg .cell { stroke: #8a929c; stroke-width: .5; } svg text.heat-number { font-size: 12px; }\n"
      ".links { margin-top: 14px; } .links tbody th { white-space: nowrap; } @media (min-width: 621px) { .links table "
      "{ min-width: 780px; } }\n";
  constexpr std::size_t first_dark = 7;
  for (std::size_t level = 0; level < heat_class_count; ++level)
    out += fmt::format(".h{0} {{ fill: {1}; }} svg text.i{0} {{ fill: {2}; }}\n", level, heat_colour(level),
                       level < first_dark ? "#101318" : "#ffffff");
  return out;
}

}  // namespace clusterwright
