/// A tree of power as flows whose widths are to scale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/site/plant/site_plan.hpp"
#include "tools/output/svg_parts.hpp"

namespace clusterwright {

struct PowerFlowChart {
  ChartText text;
  PowerNode tree;  ///< draws something
};

/// A branch as drawn.
struct FlowBox {
  std::string name, value;          ///< as written: "IT", "1.21 MW, 81 %"
  std::string whole_name;           ///< also where it was too long, or the names of what was put together
  std::size_t depth = 0;            ///< 0: the whole
  std::string_view family;          ///< class of its colour, by the branch of the first level that it belongs to
  std::optional<std::size_t> from;  ///< the box that it is a part of
  double size = 0;                  ///< pixels of its bar across the flow (wide) or along the line (narrow), to scale
  double leaves_at = 0;             ///< where its flow leaves the bar of `from`; wide only
  Rectangle bar{};
  Rectangle label{};  ///< room that name and value take, at most
};

/// Boxes of the whole drawing; a box stands behind the one that it is a part of. From left to right where there is
/// room, a line per branch with its bar where there is not. Very small branches of one parent are put together.
struct FlowDrawing {
  bool lines = false;
  double height = 0;
  std::vector<FlowBox> boxes;
};
FlowDrawing power_flow_drawing(const PowerNode& tree, double width);

std::string power_flow_svg(const PowerFlowChart& chart, double width);

/// The part of the style sheet that it needs.
std::string_view power_flow_style();

}  // namespace clusterwright
