/// A hall from above: racks to scale, aisles, measures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/site_plan.hpp"
#include "tools/output/svg_parts.hpp"

namespace clusterwright {

struct FloorChart {
  ChartText text;
  const FloorPlan* floor;  ///< with racks
};

/// One rack, or neighbours of one role where single racks would be too small to see.
struct FloorStrip {
  Rectangle box{};
  RackRole role = RackRole::compute;
  std::size_t racks = 1;
  std::string label;  ///< empty without room for it
  std::string title;  ///< "C1 to C8: 8 compute racks, 32 nodes, 326 kW rated"
};

struct FloorDrawing {
  Rectangle hall{};
  double pixels_per_meter = 0;
  double height = 0;  ///< of the drawing, with measures
  std::vector<FloorStrip> strips;
};
FloorDrawing floor_drawing(const FloorPlan& floor, double width);

std::string floor_plan_svg(const FloorChart& chart, double width);

/// Names of the roles in the plan and of its aisles beside their colours, as HTML.
std::string floor_legend(const FloorPlan& floor);

/// The part of the style sheet that it needs.
std::string_view floor_plan_style();

}  // namespace clusterwright
