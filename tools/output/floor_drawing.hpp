// SPDX-License-Identifier: Apache-2.0
/// Floor plan of a hall: to scale as SVG, and in plain characters for terminals.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/site_plan.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

/// Number of racks by RackRole.
std::array<long long, rack_role_names.size()> racks_by_role(const FloorPlan& floor);

/// "32 compute, 4 network, 1 core, 1 service".
std::string roles_text(const FloorPlan& floor);

struct FloorChart {
  ChartText text;
  const FloorPlan* floor;  ///< has racks
};

/// Rack as drawn, or neighbouring racks of one role where single racks would be too small to see.
struct FloorStrip {
  Rectangle box{};
  RackRole role = RackRole::compute;
  std::size_t racks = 1;
  std::string label;  ///< empty where it does not fit
  std::string title;  ///< "C1 to C8: 8 compute racks, 32 nodes, 326 kW rated"
};

struct FloorDrawing {
  Rectangle hall{};
  double pixels_per_meter = 0;
  double height = 0;  ///< height of the drawing, with measures
  std::vector<FloorStrip> strips;
};
FloorDrawing floor_drawing(const FloorPlan& floor, double width);

std::string floor_plan_svg(const FloorChart& chart, double width);

/// Legend as HTML: roles of racks and kinds of aisles beside their colours.
std::string floor_legend(const FloorPlan& floor);

/// Styles of floor_plan_svg.
std::string_view floor_plan_style();

/// Letter of a role, with which the names of its racks begin: C, N, K (core), S, D (storage).
char rack_letter(RackRole role);

/// Floor plan in ASCII: one character per rack, row by row, a dot for an empty place, and a legend. Rows too long for a
/// terminal become counts ("24C 1N 24C"); then, and beyond 40 rows, equal neighbouring rows share a line.
std::string text_floor_plan(const FloorPlan& floor);

}  // namespace clusterwright
