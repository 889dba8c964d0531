// SPDX-License-Identifier: Apache-2.0
/// Charts as inline SVG. Colours and strokes come from the classes of the page's style sheet, so that one drawing works
/// in light, dark and print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"
#include "tools/output/svg_parts.hpp"

namespace clusterwright {

struct CurvePoint {
  int gpus = 0;
  double efficiency = 0;
  double low = 0;  ///< of the 90 % band
  double high = 0;
};

struct EfficiencyChart {
  ChartText text;
  std::vector<CurvePoint> points;  ///< ascending in GPUs, at least one
  std::vector<int> impossible;     ///< sizes that do not fit or cannot be used, marked on the axis
  std::optional<int> knee;
};

/// Efficiency against GPUs on a logarithmic axis.
std::string efficiency_svg(const EfficiencyChart& chart, double width);

struct BreakdownBar {
  std::string label;           ///< "16,384 GPUs"
  std::string total;           ///< "4.57 s"
  std::vector<double> shares;  ///< of the step, by StepCharge; they sum to 1
};

struct BreakdownChart {
  ChartText text;
  std::vector<BreakdownBar> bars;
};

/// One horizontal bar of full width per size, split by cause.
std::string breakdown_svg(const BreakdownChart& chart, double width);

/// The class of a charge's colour: "k-bubble".
std::string charge_class(std::size_t charge);

}  // namespace clusterwright
