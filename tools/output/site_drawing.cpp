// SPDX-License-Identifier: Apache-2.0
#include "tools/output/site_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double above_site = 24;  // for the length of the site
constexpr double below_site = 34;  // for the bar of metres
constexpr double beside_site = 4;
constexpr double tallest_site = 520;  // pixels of a site on a wide screen
constexpr double name_letter = 6.4;   // pixels of a letter of a name

/// Kinds of units, in the order of the rooms; the place in the list is the number of a colour.
std::vector<std::string> kinds_of(const FloorPlan& floor) {
  std::vector<std::string> kinds;
  for (const PlantRoom& room : floor.rooms)
    for (const PlacedPlant& unit : room.units)
      if (std::find(kinds.begin(), kinds.end(), unit.what) == kinds.end()) kinds.push_back(unit.what);
  return kinds;
}

constexpr std::size_t unit_colours = 7;

std::string unit_style(std::size_t kind) {
  return fmt::format("unit u-{}", kind % unit_colours);
}

std::string legend(const std::vector<std::string>& kinds) {
  std::string items;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    items += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"{}\" width=\"12\" "
        "height=\"12\" rx=\"2\"/></svg>{}</li>\n",
        unit_style(kind), html_text(kinds[kind]));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

/// Painter of a site as SVG.
class SitePainter {
 public:
  SitePainter(const FloorPlan& floor, double width)
      : floor_(floor), kinds_(kinds_of(floor)), extent_(site_extent(floor)), scale_(scale(width)), left_(left(width)) {}

  double height() const { return above_site + scale_ * extent_.width().in(meter) + below_site; }

  std::string draw() const {
    std::string out = hall();
    for (const PlantRoom& room : floor_.rooms) out += of(room);
    const double middle = left_ + 0.5 * scale_ * extent_.length().in(meter);
    const std::string size =
        fmt::format("{} x {} m", fixed_text(extent_.length().in(meter), 1), fixed_text(extent_.width().in(meter), 1));
    out += svg_label("tick", middle, above_site - 8, "middle", size);
    return out + svg_meter_bar(left_, height() - below_site + 14, scale_, 0.3 * extent_.length().in(meter));
  }

 private:
  double scale(double width) const {
    const double length = std::max(1.0, extent_.length().in(meter)), across = std::max(1.0, extent_.width().in(meter));
    return std::min((width - 2 * beside_site) / length, tallest_site / across);
  }
  double left(double width) const { return std::max(beside_site, 0.5 * (width - scale_ * extent_.length().in(meter))); }

  Rectangle box(Meters x, Meters y, Meters length, Meters width) const {
    const double from = left_ + scale_ * (x - extent_.left).in(meter);
    const double above = above_site + scale_ * (y - extent_.top).in(meter);
    return {from, above, from + scale_ * length.in(meter), above + scale_ * width.in(meter)};
  }

  static std::string name(const Rectangle& box, const std::string& text) {
    const bool fits =
        box.bottom - box.top > 14 && box.right - box.left > name_letter * static_cast<double>(text.size());
    if (!fits) return {};
    return svg_label("small", (box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4, "middle", text);
  }

  std::string hall() const {
    std::string out =
        svg_rectangle("hall", box({}, {}, floor_.length, floor_.width), "hall of " + roles(floor_.racks.size()));
    const double half = 0.5;
    for (const PlacedRack& rack : floor_.racks)
      out += svg_rectangle("r-" + std::string(rack_role_names[static_cast<std::size_t>(rack.role)]),
                           box(rack.x - half * floor_.rack_width, rack.y - half * floor_.rack_depth, floor_.rack_width,
                               floor_.rack_depth),
                           "");
    return out;
  }

  static std::string roles(std::size_t racks) { return count_text(static_cast<long long>(racks)) + " racks"; }

  std::string of(const PlantRoom& room) const {
    const Rectangle walls = box(room.x, room.y, room.length, room.width);
    std::string out = svg_rectangle("room", walls, room.name + ": " + room_units(room));
    for (const PlacedPlant& unit : room.units)
      out += svg_rectangle(style_of(unit), box(unit.x, unit.y, unit.length, unit.width), unit.what + ": " + unit.part);
    return out + name(walls, room.name);
  }

  std::string style_of(const PlacedPlant& unit) const {
    return unit_style(static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), unit.what) - kinds_.begin()));
  }

  const FloorPlan& floor_;
  std::vector<std::string> kinds_;
  SiteExtent extent_;
  double scale_, left_;
};

}  // namespace

SiteExtent site_extent(const FloorPlan& floor) {
  SiteExtent out{{}, {}, floor.length, floor.width};
  for (const PlantRoom& room : floor.rooms) {
    out.left = std::min(out.left, room.x);
    out.top = std::min(out.top, room.y);
    out.right = std::max(out.right, room.x + room.length);
    out.bottom = std::max(out.bottom, room.y + room.width);
  }
  return out;
}

std::string room_units(const PlantRoom& room) {
  std::vector<std::pair<std::string, long long>> kinds;
  for (const PlacedPlant& unit : room.units) {
    const std::string kind = fmt::format("{} ({})", unit.what, unit.part);
    if (kinds.empty() || kinds.back().first != kind) kinds.push_back({kind, 0});
    ++kinds.back().second;
  }
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(count), kind);
  return text;
}

std::string site_plan_svg(const SiteChart& chart, double width) {
  const SitePainter painter(*chart.floor, width);
  return open_svg(chart.text, width, painter.height()) + painter.draw() + "</svg>\n";
}

std::string site_plan_figure(const FloorPlan& floor) {
  if (floor.rooms.empty()) return {};
  SiteChart chart{{"site", "Site plan", ""}, &floor};
  std::string rooms;
  for (const PlantRoom& room : floor.rooms)
    rooms += fmt::format(", {} of {} by {} m", room.name, fixed_text(room.length.in(meter), 1),
                         fixed_text(room.width.in(meter), 1));
  chart.text.description = fmt::format("Hall of {} by {} m{}.", fixed_text(floor.length.in(meter), 1),
                                       fixed_text(floor.width.in(meter), 1), rooms);
  return html_figure("<p class=\"chart-name\">Hall with its rooms of power and cooling</p>\n" + legend(kinds_of(floor)),
                     both_widths(chart, site_plan_svg),
                     chart.text.description +
                         " Each unit is drawn with the lanes around it. Generators, pump rooms, "
                         "corridors and offices are not drawn.");
}

std::string_view site_plan_style() {
  return R"css(
svg .room { fill: var(--faint); stroke: var(--muted); }
svg .unit { stroke: var(--surface); stroke-width: .8; fill-opacity: .55; }
.u-0 { fill: #56b4e9; } .u-1 { fill: #cc79a7; } .u-2 { fill: #e69f00; } .u-3 { fill: #009e73; } .u-4 { fill: #999; }
.u-5 { fill: #f0e442; } .u-6 { fill: #d55e00; }
svg .unit:hover { stroke: var(--ink); stroke-width: 2; }
)css";
}

}  // namespace clusterwright
