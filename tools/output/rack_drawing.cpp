// SPDX-License-Identifier: Apache-2.0
#include "tools/output/rack_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/site/plant/rack_elevations.hpp"
#include "sim/plain_number.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_rack_kinds = 12;
constexpr double pixels_per_unit = 10;
constexpr double rack_left = 26, rack_right = 166;  // left of it the numbers of units
constexpr double elevation_width = 170, rack_top = 26, below_rack = 6;
constexpr double least_label = 7.5;  // pixels of a device that has room for a text
constexpr double device_letter = 5.2;
constexpr int numbered_units = 6;

std::string label_in(const std::string& text, double room) {
  const auto most = static_cast<std::size_t>(room / device_letter);
  if (display_width(text) <= most) return text;
  std::size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return text.substr(0, end) + "\xe2\x80\xa6";
}

class RackPainter {
 public:
  RackPainter(const SitePlan& plan, const RackKind& kind, std::size_t number)
      : plan_(plan), kind_(kind), rack_(plan.floor.racks[kind.first]), number_(number) {
    units_ = plan.floor.frame_units;
    for (const DeviceId id : kind.devices) units_ = std::max(units_, below(id) + height(id));
    units_ = std::ceil(units_);
  }

  std::string draw() const {
    const ChartText text{fmt::format("rack-{}", number_), heading(), description()};
    std::string out = open_svg(text, elevation_width, y(0) + below_rack);
    out += svg_label("tick", rack_left, 12, "start", heading());
    out += box("frame", 0, units_, "");
    for (int unit = 1; unit <= static_cast<int>(units_); unit += numbered_units)
      out += svg_label("tick", rack_left - 4, y(unit - 0.5) + 4, "end", std::to_string(unit));
    for (const DeviceId id : kind_.devices) out += device(id);
    return out + "</svg>\n";
  }

 private:
  const DeviceKind& kind_of(DeviceId id) const { return plan_.device_kinds[plan_.devices[id].kind]; }
  double below(DeviceId id) const { return plan_.devices[id].below_u; }
  double height(DeviceId id) const { return kind_of(id).rack_units; }
  double y(double units) const { return rack_top + (units_ - units) * pixels_per_unit; }

  std::string heading() const {
    return kind_.racks == 1 ? printable(rack_.name)
                            : fmt::format("{} and {} more", printable(rack_.name), count_text(kind_.racks - 1));
  }

  std::string description() const {
    std::string parts;
    for (const RackContent& content : rack_.contents)
      parts += fmt::format("{}{} x {}", parts.empty() ? "" : ", ", content.count, content.what);
    return fmt::format("{} {} of {}.", count_text(kind_.racks), kind_.racks == 1 ? "rack" : "racks", parts);
  }

  std::string box(std::string_view style, double from, double units, const std::string& title) const {
    const std::string words = title.empty() ? std::string() : fmt::format("<title>{}</title>", html_text(title));
    return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>\n",
                       style, rack_left, y(from + units), rack_right - rack_left, units * pixels_per_unit, words);
  }

  std::string device(DeviceId id) const {
    const DeviceKind& kind = kind_of(id);
    const std::string style = fmt::format("device r-{}", kind.what == "node" ? "compute"
                                                         : kind.ports > 0    ? "network"
                                                                             : "service");
    const std::string title = fmt::format("{}: {}, {}, {} U from unit {}", device_name(plan_, id), kind.what, kind.part,
                                          plain_number(kind.rack_units), plain_number(lowest_unit(plan_.devices[id])));
    std::string out = box(style, below(id), kind.rack_units, title);
    if (kind.rack_units * pixels_per_unit < least_label) return out;
    const std::string words = kind.what == "node" ? kind.part : kind.what;
    const char* ink = kind.what == "node" ? "on-device r-compute-ink" : "on-device";
    return out + svg_label(ink, (rack_left + rack_right) / 2, y(below(id) + kind.rack_units / 2) + 3, "middle",
                           label_in(printable(words), rack_right - rack_left - 6));
  }

  const SitePlan& plan_;
  const RackKind& kind_;
  const PlacedRack& rack_;
  std::size_t number_;
  double units_ = 0;
};

/// Kinds that are drawn: the most frequent ones, in the order of all.
std::vector<RackKind> drawn_kinds(std::vector<RackKind> kinds) {
  if (kinds.size() <= most_rack_kinds) return kinds;
  std::vector<long long> racks;
  for (const RackKind& kind : kinds) racks.push_back(kind.racks);
  std::nth_element(racks.begin(), racks.begin() + most_rack_kinds - 1, racks.end(), std::greater());
  const long long least = racks[most_rack_kinds - 1];
  std::erase_if(kinds, [&](const RackKind& kind) { return kind.racks < least; });
  kinds.resize(std::min(kinds.size(), most_rack_kinds));
  return kinds;
}

}  // namespace

std::string rack_elevations_html(const SitePlan& plan) {
  const std::vector<RackKind> kinds = drawn_kinds(kinds_of_racks(plan));
  if (kinds.empty()) return {};
  std::string out;
  for (std::size_t at = 0; at < kinds.size(); ++at) out += RackPainter(plan, kinds[at], at).draw();
  return "<div class=\"elevations\">\n" + out + "</div>\n";
}

std::string rack_elevations_caption(const SitePlan& plan) {
  const auto kinds = kinds_of_racks(plan);
  const auto drawn = drawn_kinds(kinds);
  long long racks = 0;
  for (const RackKind& kind : drawn) racks += kind.racks;
  std::string text = fmt::format("One drawing for each kind of rack, with units counted from below; {} of {} racks",
                                 count_text(racks), count_text(static_cast<long long>(plan.floor.racks.size())));
  if (drawn.size() < kinds.size())
    text += fmt::format(", {} of {} kinds", drawn.size(), count_text(static_cast<long long>(kinds.size())));
  return text + ". Power strips hang beside the units. --elevations FILE writes every rack.";
}

std::string_view rack_elevations_style() {
  return R"css(
.elevations { display: flex; flex-wrap: wrap; gap: 14px 18px; align-items: flex-end; }
.elevations svg { width: 160px; height: auto; flex: none; }
svg .frame { fill: none; stroke: var(--muted); stroke-width: 1; }
.elevations svg { break-inside: avoid; }
svg .device { stroke: var(--surface); stroke-width: .8; }
svg .on-device { font-size: 8px; fill: #101318; } svg .on-device.r-compute-ink { fill: #fff; }
)css";
}

}  // namespace clusterwright
