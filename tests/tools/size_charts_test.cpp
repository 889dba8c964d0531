// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "support/catch.hpp"
#include "support/made_up_site.hpp"
#include "tools/output/floor_drawing.hpp"
#include "tools/output/html_page.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/size_charts.hpp"

using namespace clusterwright;

namespace {

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

}  // namespace

TEST_CASE("flows of power are to scale: parts add up to what they are parts of", "[tools]") {
  for (const double width : {wide_chart, narrow_chart}) {
    const FlowDrawing drawing = power_flow_drawing(made_up::site().plan.mean.tree, width);
    REQUIRE(drawing.boxes.size() > 10);
    std::map<std::size_t, double> parts;
    for (const FlowBox& box : drawing.boxes)
      if (box.from) parts[*box.from] += box.size;
    CHECK(parts.size() >= 4);
    for (const auto& [whole, size] : parts) {
      INFO(drawing.boxes[whole].name);
      CHECK(size == Approx(drawing.boxes[whole].size));
    }
  }
}

TEST_CASE("flows leave a bar side by side, inside it", "[tools]") {
  const FlowDrawing drawing = power_flow_drawing(made_up::site().plan.mean.tree, wide_chart);
  std::map<std::size_t, double> next;
  for (const FlowBox& box : drawing.boxes) {
    CHECK(box.bar.bottom - box.bar.top == Approx(box.size));
    if (!box.from) continue;
    const FlowBox& whole = drawing.boxes[*box.from];
    if (!next.count(*box.from)) next[*box.from] = whole.bar.top;
    CHECK(box.leaves_at == Approx(next[*box.from]));
    next[*box.from] = box.leaves_at + box.size;
    CHECK(next[*box.from] <= whole.bar.bottom + 1e-6);
  }
}

TEST_CASE("labels of flows never overlap and stay inside the drawing", "[tools]") {
  PowerNode many{"a very long name of a grid connection that nobody would draw", {}, {}};
  for (int i = 0; i < 30; ++i) {
    const Watts part = (i % 3 == 0 ? 1.0 : 300.0) * kilowatt;
    many.parts.push_back({"branch number " + std::to_string(i) + " with a long name",
                          part,
                          {{"half", 0.5 * part, {}}, {"rest", 0.5 * part, {}}}});
    many.power += part;
  }
  for (const PowerNode& tree : {made_up::site().plan.mean.tree, many})
    for (const double width : {wide_chart, narrow_chart}) {
      const FlowDrawing drawing = power_flow_drawing(tree, width);
      for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
        const FlowBox& box = drawing.boxes[i];
        INFO(box.name << " at " << width);
        CHECK(box.label.left >= 0);
        CHECK(box.label.right <= width);
        CHECK(box.label.top >= 0);
        CHECK(box.label.bottom <= drawing.height);
        CHECK(7.4 * static_cast<double>(display_width(box.name)) <= box.label.right - box.label.left + 7.4);
        for (std::size_t j = 0; j < drawing.boxes.size(); ++j) {
          if (j != i) CHECK_FALSE(overlap(box.label, drawing.boxes[j].label));
          if (j != i) CHECK_FALSE(overlap(box.bar, drawing.boxes[j].bar));
          CHECK_FALSE(overlap(box.label, drawing.boxes[j].bar));
        }
      }
    }
}

TEST_CASE("very small flows of one whole are drawn as one, under all their names", "[tools]") {
  const PowerNode tree{
      "grid", 1000 * kilowatt, {{"IT", 997 * kilowatt, {}}, {"doors", 2 * kilowatt, {}}, {"lifts", 1 * kilowatt, {}}}};
  const FlowDrawing drawing = power_flow_drawing(tree, wide_chart);
  REQUIRE(drawing.boxes.size() == 3);
  CHECK(drawing.boxes[2].whole_name == "doors + lifts");
  CHECK(drawing.boxes[2].value == "3.00 kW, 0.3 %");
  const PowerNode one{"grid", 1e4 * kilowatt, {{"IT", 9999 * kilowatt, {}}, {"doors", 1 * kilowatt, {}}}};
  CHECK(power_flow_drawing(one, wide_chart).boxes[2].value == "1.00 kW, under 0.1 %");
}

TEST_CASE("a floor plan draws every rack inside the hall and none over another", "[tools]") {
  for (const SizedCluster& sized : made_up::small_and_large())
    for (const double width : {wide_chart, narrow_chart}) {
      const FloorPlan& floor = sized.plan.floor;
      const FloorDrawing drawing = floor_drawing(floor, width);
      std::size_t racks = 0;
      double drawn = 0;
      for (std::size_t i = 0; i < drawing.strips.size(); ++i) {
        const FloorStrip& strip = drawing.strips[i];
        racks += strip.racks;
        drawn += (strip.box.right - strip.box.left) / drawing.pixels_per_meter;
        CHECK(strip.box.left >= drawing.hall.left);
        CHECK(strip.box.right <= drawing.hall.right);
        CHECK(strip.box.top >= drawing.hall.top);
        CHECK(strip.box.bottom <= drawing.hall.bottom);
        if (i > 0)
          CHECK((strip.box.left > drawing.strips[i - 1].box.right - 0.01 ||
                 strip.box.top >= drawing.strips[i - 1].box.bottom));
      }
      CHECK(racks == floor.racks.size());
      CHECK(drawn == Approx(floor.rack_width.in(meter) * static_cast<double>(racks)));
      CHECK(drawing.hall.right <= width);
    }
}

TEST_CASE("few racks are drawn one by one, thousands as strips of one role", "[tools]") {
  CHECK(floor_drawing(made_up::site().plan.floor, wide_chart).strips.size() == 38);
  const SizedCluster large = made_up::site(made_up::large_site_shape);
  const FloorDrawing drawing = floor_drawing(large.plan.floor, wide_chart);
  CHECK(large.plan.floor.racks.size() == 2632);
  CHECK(drawing.strips.size() < 700);
  CHECK(drawing.strips[0].title == "C1 to C4: 4 compute racks, 16 nodes, 163 kW rated");
}

TEST_CASE("names stand on racks only where there is room for all of them", "[tools]") {
  const FloorPlan floor = made_up::site().plan.floor;
  const auto labels = [&](double width) {
    std::string all;
    for (const FloorStrip& strip : floor_drawing(floor, width).strips) all += strip.label + " ";
    return all;
  };
  CHECK(labels(wide_chart).starts_with("C1 C2 C3 C4 N1 "));
  CHECK(labels(narrow_chart).starts_with("C C C C N "));
}
