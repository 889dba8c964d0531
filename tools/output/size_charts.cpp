// SPDX-License-Identifier: Apache-2.0
#include "tools/output/size_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr double bold_letter = 8;  // pixels of a wide bold letter
constexpr double pitch = 28;
constexpr double thick = 16;

double room_for(const std::vector<AmountBar>& bars, std::string AmountBar::*words) {
  std::size_t longest = 1;
  for (const AmountBar& bar : bars) longest = std::max(longest, display_width(printable(bar.*words)));
  return 14 + bold_letter * static_cast<double>(longest);
}

constexpr double narrow_flow = 560;  // pixels; below it labels have no room beside bars
constexpr double letter = 7.4;       // pixels of a wide letter, at most
constexpr double bar_width = 12;
constexpr double slot_height = 38;  // height of two lines of text, with air
constexpr double whole_height = 300;
constexpr double label_gap = 7;
constexpr double last_label = 190;
constexpr double line_pitch = 42;
constexpr double indent = 16;
constexpr std::size_t deepest = 4;
constexpr double small_share = 0.004;  // share of the whole
constexpr std::string_view ellipsis = "\xe2\x80\xa6";

/// Colour class of a branch of the first level, by its name; unknown names are grey.
std::string_view family_of(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char sign) { return sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign; });
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (has("loss")) return "p-loss";
  if (has("cool")) return "p-cool";
  if (lower == "it" || has("machine") || has("equipment")) return "p-it";
  return "p-other";
}

/// Tree with its largest branches first, small ones merged, and no deeper than can be drawn.
PowerNode tidied(const PowerNode& node, Watts whole, std::size_t depth) {
  PowerNode out{node.name, node.power, {}};
  if (depth + 1 >= deepest) return out;
  std::vector<PowerNode> small;
  for (const PowerNode& part : node.parts) {
    if (part.power <= Watts()) continue;
    if (part.power < small_share * whole) {
      small.push_back(part);
    } else {
      out.parts.push_back(tidied(part, whole, depth + 1));
    }
  }
  const auto larger = [](const PowerNode& one, const PowerNode& other) { return one.power > other.power; };
  std::stable_sort(out.parts.begin(), out.parts.end(), larger);
  PowerNode rest{"", {}, {}};
  for (const PowerNode& part : small) {
    rest.power += part.power;
    rest.name += (rest.name.empty() ? "" : " + ") + part.name;
  }
  if (!small.empty()) out.parts.push_back(rest);
  return out;
}

/// Text cut to the whole characters that fit.
std::string shortened(const std::string& text, double room) {
  const std::string clean = printable(text);
  const auto most = static_cast<std::size_t>(std::max(1.0, room / letter));
  if (display_width(clean) <= most) return clean;
  std::string out;
  for (std::size_t at = 0; at < clean.size();) {
    std::size_t end = at + 1;
    while (end < clean.size() && (static_cast<unsigned char>(clean[end]) & 0xc0u) == 0x80) ++end;
    if (display_width(out) + display_width(clean.substr(at, end - at)) + 1 > most) break;
    out += clean.substr(at, end - at);
    at = end;
  }
  return out + std::string(ellipsis);
}

std::string share_text(double share) {
  return share < 0.0005 ? "under 0.1 %" : percent_text(share, 1);
}

std::size_t levels(const PowerNode& node) {
  std::size_t most = 0;
  for (const PowerNode& part : node.parts) most = std::max(most, levels(part));
  return most + 1;
}

/// Layout of the branches.
class FlowLayout {
 public:
  FlowLayout(const PowerNode& tree, double width) : tree_(tidied(tree, tree.power, 0)), width_(width) {
    drawing_.lines = width < narrow_flow;
    const std::size_t columns = std::max<std::size_t>(2, levels(tree_));
    pitch_ = (width - last_label - bar_width) / static_cast<double>(columns - 1);
  }

  FlowDrawing draw() {
    drawing_.height = drawing_.lines ? 6 : slot_of(tree_) + 8;
    if (drawing_.lines) {
      add_line(tree_, 0, {}, "p-whole");
    } else {
      add_box(tree_, 0, {}, "p-whole", 4);
    }
    return std::move(drawing_);
  }

 private:
  double scaled(Watts power) const {
    const double whole = drawing_.lines ? width_ - indent * static_cast<double>(deepest) : whole_height;
    return whole * (power / tree_.power);
  }

  /// Height of a branch with all its parts.
  double slot_of(const PowerNode& node) const {
    double parts = 0;
    for (const PowerNode& part : node.parts) parts += slot_of(part);
    return std::max({slot_height, scaled(node.power) + 6, parts});
  }

  FlowBox box_of(const PowerNode& node, std::size_t depth, std::optional<std::size_t> from,
                 std::string_view family) const {
    FlowBox box;
    box.whole_name = node.name;
    box.value = fmt::format("{}, {}", power_text(node.power), share_text(node.power / tree_.power));
    box.depth = depth;
    box.family = family;
    box.from = from;
    box.size = scaled(node.power);
    return box;
  }

  static std::string_view family_below(const PowerNode& part, std::size_t depth, std::string_view family) {
    return depth == 0 ? family_of(part.name) : family;
  }

  void add_box(const PowerNode& node, std::size_t depth, std::optional<std::size_t> from, std::string_view family,
               double top) {
    const double slot = slot_of(node), middle = top + slot / 2;
    const double x = pitch_ * static_cast<double>(depth);
    FlowBox box = box_of(node, depth, from, family);
    box.bar = {x, middle - box.size / 2, x + bar_width, middle + box.size / 2};
    const bool last = x + pitch_ > width_ - bar_width;
    box.label = {box.bar.right + label_gap, middle - 17, last ? width_ : x + pitch_ - label_gap, middle + 17};
    box.name = shortened(node.name, box.label.right - box.label.left);
    if (from) box.leaves_at = left_of(*from);
    const std::size_t self = drawing_.boxes.size();
    drawing_.boxes.push_back(std::move(box));
    double parts = 0;
    for (const PowerNode& part : node.parts) parts += slot_of(part);
    double next = middle - parts / 2;
    for (const PowerNode& part : node.parts) {
      add_box(part, depth + 1, self, family_below(part, depth, family), next);
      next += slot_of(part);
    }
  }

  /// Place on the bar of a box where its next flow begins.
  double left_of(std::size_t box) const {
    double at = drawing_.boxes[box].bar.top;
    for (const FlowBox& other : drawing_.boxes)
      if (other.from == box) at += other.size;
    return at;
  }

  void add_line(const PowerNode& node, std::size_t depth, std::optional<std::size_t> from, std::string_view family) {
    const double x = indent * static_cast<double>(depth), top = drawing_.height;
    FlowBox box = box_of(node, depth, from, family);
    box.label = {x, top, width_, top + 20};
    box.bar = {x, top + 22, x + box.size, top + 32};
    box.name = shortened(node.name, width_ - x - letter * static_cast<double>(display_width(box.value) + 2));
    const std::size_t self = drawing_.boxes.size();
    drawing_.boxes.push_back(std::move(box));
    drawing_.height += line_pitch;
    for (const PowerNode& part : node.parts) add_line(part, depth + 1, self, family_below(part, depth, family));
  }

  PowerNode tree_;
  double width_, pitch_ = 0;
  FlowDrawing drawing_;
};

std::string bar_svg(const FlowBox& box) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.1f}\" height=\"{:.2f}\"><title>{}: {}</title></rect>\n",
      box.family, box.bar.left, box.bar.top, box.bar.right - box.bar.left, box.bar.bottom - box.bar.top,
      html_text(box.whole_name), html_text(box.value));
}

/// Flow from a bar to one of its parts.
std::string flow_svg(const FlowBox& from, const FlowBox& to) {
  const double x0 = from.bar.right, x1 = to.bar.left, half = (x0 + x1) / 2;
  return fmt::format(
      "<path class=\"flow {}\" d=\"M{:.1f},{:.2f} C{:.1f},{:.2f} {:.1f},{:.2f} {:.1f},{:.2f} V{:.2f} C{:.1f},{:.2f} "
      "{:.1f},{:.2f} {:.1f},{:.2f} Z\"/>\n",
      to.family, x0, to.leaves_at, half, to.leaves_at, half, to.bar.top, x1, to.bar.top, to.bar.bottom, half,
      to.bar.bottom, half, to.leaves_at + to.size, x0, to.leaves_at + to.size);
}

std::string label_svg(const FlowBox& box, bool lines) {
  const Rectangle& room = box.label;
  if (lines)
    return svg_label("strong", room.left, room.top + 15, "start", box.name) +
           svg_label("tick", room.right, room.top + 15, "end", box.value);
  const double middle = (room.top + room.bottom) / 2;
  return svg_label("value", room.left, middle - 3, "start", box.name) +
         svg_label("note", room.left, middle + 13, "start", box.value);
}

}  // namespace

std::string amount_svg(const AmountChart& chart, double width) {
  double most = 0;
  for (const AmountBar& bar : chart.bars) most = std::max(most, bar.before + bar.amount);
  const double left = std::min(0.45 * width, room_for(chart.bars, &AmountBar::label));
  const Scale x(0, most, left, width - room_for(chart.bars, &AmountBar::value));
  std::string out = open_svg(chart.text, width, 8 + pitch * static_cast<double>(chart.bars.size()));
  double middle = 4 + pitch / 2;
  for (const AmountBar& bar : chart.bars) {
    const double begin = x(bar.before), end = x(bar.before + bar.amount);
    out += svg_label("tick", left - 8, middle + 4, "end", bar.label);
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n",
                       bar.style, begin, middle - thick / 2, most > 0 ? end - begin : 0, thick);
    out += svg_label("strong", (most > 0 ? end : left) + 8, middle + 4, "start", bar.value);
    middle += pitch;
  }
  return out + svg_line("base", left, 2, left, middle - pitch / 2) + "</svg>\n";
}

std::string_view amount_style() {
  return R"css(
.a-part { fill: #0072b2; } .a-total { fill: #7f8894; } .a-other { fill: #e69f00; }
@media screen and (prefers-color-scheme: dark) { .a-part { fill: #3d9fe0; } .a-total { fill: #a2abb7; } }
)css";
}

FlowDrawing power_flow_drawing(const PowerNode& tree, double width) {
  return FlowLayout(tree, width).draw();
}

std::string power_flow_svg(const PowerFlowChart& chart, double width) {
  const FlowDrawing drawing = power_flow_drawing(chart.tree, width);
  std::string out = open_svg(chart.text, width, drawing.height + 4);
  if (!drawing.lines)
    for (const FlowBox& box : drawing.boxes)
      if (box.from) out += flow_svg(drawing.boxes[*box.from], box);
  for (const FlowBox& box : drawing.boxes) out += bar_svg(box);
  for (const FlowBox& box : drawing.boxes) out += label_svg(box, drawing.lines);
  return out + "</svg>\n";
}

std::string_view power_flow_style() {
  return R"css(
svg .flow { fill-opacity: .28; }
.p-whole { fill: var(--muted); } .p-it { fill: #0072b2; } .p-loss { fill: #d55e00; } .p-cool { fill: #009e73; }
.p-other { fill: #7f8894; }
@media screen and (prefers-color-scheme: dark) {
  .p-it { fill: #3d9fe0; } .p-loss { fill: #f07a2a; } .p-cool { fill: #2fc79b; } .p-other { fill: #a2abb7; }
}
)css";
}

}  // namespace clusterwright
