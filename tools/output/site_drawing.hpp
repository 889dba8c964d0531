// SPDX-License-Identifier: Apache-2.0
/// Site to scale as SVG: the hall, and the rooms of power and cooling around it with their units.
#pragma once

#include <string>
#include <string_view>

#include "models/site/plant/floor_plan.hpp"
#include "tools/output/svg_chart.hpp"

namespace clusterwright {

struct SiteChart {
  ChartText text;
  const FloorPlan* floor;  ///< has rooms
};

/// Hall and rooms together, as far as they reach along and across the rows.
struct SiteExtent {
  Meters left, top, right, bottom;  ///< from the hall's corner; negative before it
  Meters length() const { return right - left; }
  Meters width() const { return bottom - top; }
};
SiteExtent site_extent(const FloorPlan& floor);

/// "7 air units of the hall, 2 coolant units"
std::string room_units(const PlantRoom& room);

std::string site_plan_svg(const SiteChart& chart, double width);

/// Figure of the page of `size`; empty without rooms.
std::string site_plan_figure(const FloorPlan& floor);

/// Styles of site_plan_svg.
std::string_view site_plan_style();

}  // namespace clusterwright
