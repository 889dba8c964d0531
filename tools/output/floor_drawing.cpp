// SPDX-License-Identifier: Apache-2.0
#include "tools/output/floor_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double left_margin = 30;  // for the width of the hall
constexpr double top_margin = 24;   // for its length
constexpr double bottom_margin = 34;
constexpr double highest = 640;       // pixels of a hall on a wide screen
constexpr double smallest_rack = 9;   // pixels; smaller ones are drawn as strips
constexpr double small_letter = 6.4;  // pixels of a letter on a rack
constexpr std::size_t most_racks = 400;

std::string_view role_name(RackRole role) {
  return rack_role_names[static_cast<std::size_t>(role)];
}

/// Racks in order of rows and places.
std::vector<const PlacedRack*> in_order(const FloorPlan& floor) {
  std::vector<const PlacedRack*> racks;
  for (const PlacedRack& rack : floor.racks) racks.push_back(&rack);
  std::stable_sort(racks.begin(), racks.end(), [](const PlacedRack* one, const PlacedRack* other) {
    return one->row != other->row ? one->row < other->row : one->place < other->place;
  });
  return racks;
}

/// Racks of one strip.
using Group = std::vector<const PlacedRack*>;

std::vector<Group> groups_of(const FloorPlan& floor, bool merge) {
  std::vector<Group> groups;
  for (const PlacedRack* rack : in_order(floor)) {
    const PlacedRack* const before = groups.empty() ? nullptr : groups.back().back();
    const bool beside = before && before->row == rack->row && before->place + 1 == rack->place;
    if (merge && beside && before->role == rack->role) {
      groups.back().push_back(rack);
    } else {
      groups.push_back({rack});
    }
  }
  return groups;
}

std::string title_of(const Group& group) {
  Watts rated;
  int nodes = 0;
  for (const PlacedRack* rack : group) {
    rated += rack->rated;
    nodes += rack->nodes;
  }
  const PlacedRack& first = *group.front();
  std::string title = group.size() == 1 ? fmt::format("{}: {} rack", first.name, role_name(first.role))
                                        : fmt::format("{} to {}: {} {} racks", first.name, group.back()->name,
                                                      group.size(), role_name(first.role));
  if (nodes > 0) title += fmt::format(", {} nodes", count_text(nodes));
  if (group.size() == 1)
    for (const RackContent& content : first.contents)
      if (content.what != "node") title += fmt::format(", {} x {}", content.count, content.what);
  return title + fmt::format(", {} rated", power_text(rated));
}

double room_in(const Rectangle& box) {
  return box.bottom - box.top < 12 ? 0 : box.right - box.left - 4;
}

bool fits(const std::string& text, double room) {
  return small_letter * static_cast<double>(display_width(text)) <= room;
}

/// Label of a group: the name of a rack where all names fit, else its letter; the contents of a strip.
/// @param longest  width of the longest name of all racks
std::string label_of(const Group& group, double room, std::size_t longest) {
  const PlacedRack& first = *group.front();
  const std::string count = std::to_string(group.size());
  const std::string all = fmt::format("{} {}", count, role_name(first.role));
  const bool names = small_letter * static_cast<double>(longest) <= room;
  const std::string whole = group.size() > 1 ? all : names ? printable(first.name) : "";
  const std::string brief = group.size() > 1 ? count : std::string(1, rack_letter(first.role));
  if (!whole.empty() && fits(whole, room)) return whole;
  return fits(brief, room) ? brief : std::string();
}

/// Painter of a hall as SVG.
class FloorPainter {
 public:
  FloorPainter(const FloorPlan& floor, double width) : floor_(floor), drawing_(floor_drawing(floor, width)) {}

  double height() const { return drawing_.height; }
  std::string draw() const { return svg_rectangle("hall", drawing_.hall, "") + aisles() + racks() + measures(); }

 private:
  double y(Meters across) const { return drawing_.hall.top + drawing_.pixels_per_meter * across.in(meter); }

  std::string aisles() const {
    std::string out;
    for (const Aisle& aisle : floor_.aisles) {
      const Rectangle lane{drawing_.hall.left, y(aisle.from), drawing_.hall.right, y(aisle.to)};
      out += svg_rectangle(aisle.cold ? "cold" : "hot", lane, aisle.cold ? "cold aisle" : "hot aisle");
      if (lane.bottom - lane.top < 16) continue;
      out += svg_label("small", (lane.left + lane.right) / 2, (lane.top + lane.bottom) / 2 + 4, "middle",
                       aisle.cold ? "cold aisle" : "hot aisle");
    }
    return out;
  }

  std::string racks() const {
    std::string out;
    for (const FloorStrip& strip : drawing_.strips) {
      const std::string role = fmt::format("r-{}", role_name(strip.role));
      out += svg_rectangle("rack " + role, strip.box, strip.title);
      if (!strip.label.empty())
        out += svg_label("on-rack " + role + "-ink", (strip.box.left + strip.box.right) / 2,
                         (strip.box.top + strip.box.bottom) / 2 + 4, "middle", strip.label);
    }
    return out;
  }

  std::string measures() const {
    const Rectangle& hall = drawing_.hall;
    const double middle = (hall.top + hall.bottom) / 2;
    const auto side = [](Meters length) { return fixed_text(length.in(meter), 1) + " m"; };
    std::string out = svg_label("tick", (hall.left + hall.right) / 2, hall.top - 8, "middle", side(floor_.length));
    out += fmt::format(
        "<text class=\"tick\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        hall.left - 9, middle, side(floor_.width));
    return out + svg_meter_bar(hall.left, hall.bottom + 14, drawing_.pixels_per_meter, 0.3 * floor_.length.in(meter));
  }

  const FloorPlan& floor_;
  FloorDrawing drawing_;
};

constexpr std::size_t most_lines = 40;
constexpr std::size_t longest_line = 100;

std::vector<std::string> rows_of(const FloorPlan& floor) {
  std::vector<std::string> rows(static_cast<std::size_t>(std::max(0, floor.rows)));
  for (const PlacedRack& rack : floor.racks) {
    const auto row = static_cast<std::size_t>(rack.row), place = static_cast<std::size_t>(rack.place);
    if (row >= rows.size()) rows.resize(row + 1);
    if (place >= rows[row].size()) rows[row].resize(place + 1, '.');
    rows[row][place] = rack_letter(rack.role);
  }
  return rows;
}

/// Row as counts: "24C 1N 24C".
std::string counted(const std::string& row) {
  std::string text;
  for (std::size_t begin = 0; begin < row.size();) {
    const std::size_t end = std::min(row.find_first_not_of(row[begin], begin), row.size());
    text += fmt::format("{}{}{}", begin ? " " : "", end - begin, row[begin]);
    begin = end;
  }
  return text;
}

/// Equal rows from `first` to before `last`.
struct Band {
  std::size_t first, last;
};

std::vector<Band> bands_of(const std::vector<std::string>& rows, bool merge) {
  std::vector<Band> bands;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (merge && !bands.empty() && rows[bands.back().first] == rows[row]) {
      bands.back().last = row + 1;
    } else {
      bands.push_back({row, row + 1});
    }
  }
  return bands;
}

std::string band_name(const Band& band) {
  return band.last - band.first == 1 ? fmt::format("{}", band.first + 1)
                                     : fmt::format("{}-{}", band.first + 1, band.last);
}

std::string legend(const FloorPlan& floor) {
  const auto counts = racks_by_role(floor);
  std::string text;
  for (std::size_t role = 0; role < counts.size(); ++role)
    if (counts[role] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rack_letter(static_cast<RackRole>(role)),
                          rack_role_names[role]);
  return text;
}

}  // namespace

std::array<long long, rack_role_names.size()> racks_by_role(const FloorPlan& floor) {
  std::array<long long, rack_role_names.size()> counts{};
  for (const PlacedRack& rack : floor.racks) ++counts[static_cast<std::size_t>(rack.role)];
  return counts;
}

std::string roles_text(const FloorPlan& floor) {
  const auto counts = racks_by_role(floor);
  std::string text;
  for (std::size_t role = 0; role < counts.size(); ++role)
    if (counts[role] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(counts[role]), rack_role_names[role]);
  return text;
}

FloorDrawing floor_drawing(const FloorPlan& floor, double width) {
  const double length = std::max(1.0, floor.length.in(meter)), across = std::max(1.0, floor.width.in(meter));
  FloorDrawing drawing;
  drawing.pixels_per_meter = std::min((width - left_margin - 2) / length, highest / across);
  const double scale = drawing.pixels_per_meter;
  const double left = std::max(left_margin, (width - scale * length) / 2);
  drawing.hall = {left, top_margin, left + scale * length, top_margin + scale * across};
  drawing.height = drawing.hall.bottom + bottom_margin;
  const bool merge = scale * floor.rack_width.in(meter) < smallest_rack || floor.racks.size() > most_racks;
  std::size_t longest = 0;
  for (const PlacedRack& rack : floor.racks) longest = std::max(longest, display_width(printable(rack.name)));
  for (const Group& group : groups_of(floor, merge)) {
    const PlacedRack &first = *group.front(), &last = *group.back();
    const double half = 0.5 * scale * floor.rack_width.in(meter), deep = 0.5 * scale * floor.rack_depth.in(meter);
    const double y = top_margin + scale * first.y.in(meter);
    const auto [low, high] = std::minmax(first.x, last.x);
    const Rectangle box{left + scale * low.in(meter)-half, y - deep, left + scale * high.in(meter) + half, y + deep};
    drawing.strips.push_back({box, first.role, group.size(), label_of(group, room_in(box), longest), title_of(group)});
  }
  return drawing;
}

std::string floor_plan_svg(const FloorChart& chart, double width) {
  const FloorPainter painter(*chart.floor, width);
  return open_svg(chart.text, width, painter.height()) + painter.draw() + "</svg>\n";
}

std::string floor_legend(const FloorPlan& floor) {
  const auto item = [](std::string_view style, std::string_view name) {
    return fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"{}\" width=\"12\" height=\"12\" "
        "rx=\"2\"/></svg>{}</li>\n",
        style, name);
  };
  std::string items;
  const auto counts = racks_by_role(floor);
  for (std::size_t role = 0; role < counts.size(); ++role)
    if (counts[role] > 0)
      items += item(fmt::format("r-{}", rack_role_names[role]),
                    fmt::format("{} {} ({})", count_text(counts[role]), rack_role_names[role],
                                rack_letter(static_cast<RackRole>(role))));
  if (!floor.aisles.empty()) items += item("cold", "cold aisle") + item("hot", "hot aisle");
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

std::string_view floor_plan_style() {
  return R"css(
svg .hall { fill: var(--faint); stroke: var(--muted); }
svg .cold { fill: #56b4e9; fill-opacity: .2; } svg .hot { fill: #d55e00; fill-opacity: .16; }
svg .rack { stroke: var(--surface); stroke-width: .8; }
svg .rack:hover { stroke: var(--ink); stroke-width: 2; }
svg .small, svg .on-rack { font-size: 11px; }
.r-compute { fill: #0072b2; } .r-network { fill: #e69f00; } .r-core { fill: #cc79a7; } .r-service { fill: #78c9a9; }
.r-storage { fill: #b5cf6b; }
svg .on-rack { fill: #101318; } svg .r-compute-ink { fill: #fff; }
)css";
}

char rack_letter(RackRole role) {
  return rack_role_letters[static_cast<std::size_t>(role)];
}

std::string text_floor_plan(const FloorPlan& floor) {
  const std::vector<std::string> rows = rows_of(floor);
  const bool count = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() > longest_line; });
  const std::vector<Band> bands = bands_of(rows, count || rows.size() > most_lines);
  const std::size_t shown = bands.size() > most_lines ? most_lines - 1 : bands.size();
  std::string text = fmt::format("Floor plan ({})\n", legend(floor));
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        fmt::format("{:>7}  {}\n", band_name(bands[i]), count ? counted(rows[bands[i].first]) : rows[bands[i].first]);
  if (shown < bands.size())
    text += fmt::format("    ...  and {} more rows\n",
                        count_text(static_cast<long long>(rows.size() - bands[shown].first)));
  return text;
}

}  // namespace clusterwright
