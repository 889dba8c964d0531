// SPDX-License-Identifier: Apache-2.0
// Draws whole predicted curves over the published sweeps of collectives: collective_curves FILE.svg
//   cmake --build --preset release --target collective-curves
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement.hpp"
#include "calibration/validation/validate_case.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "tools/output/curve_panels.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"

using namespace clusterwright;

namespace {

constexpr std::size_t fewest_sizes = 4;

/// Sweeps inside one node that are drawn beside those across nodes: whole nodes of four kinds, and four GPUs whose
/// library changes its protocol within the sweep.
constexpr std::array<std::string_view, 5> inside_nodes = {
    "azure-nccl-allreduce-8xa100", "azure-nccl-allreduce-8xh100", "azure-mi300x-8-all-reduce",
    "aic-nccl-l40s-2.27.3-all-reduce-4", "aic-nccl-b200-sxm-2.29.2-all-reduce-4"};

bool is_drawn(const Measurement& m) {
  if (!m.scored || !m.collective || m.collective->op != "all_reduce") return false;
  if (m.collective->points.size() < fewest_sizes) return false;
  return m.collective->ranks > m.collective->ranks_per_node ||
         std::ranges::find(inside_nodes, m.id) != inside_nodes.end();
}

/// "64K", "16G": powers of two, as nccl-tests counts sizes.
std::string size_text(double bytes) {
  constexpr std::array units = {"B", "K", "M", "G"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  return fmt::format("{:.0f}{}", bytes, units[unit]);
}

/// In GB/s.
double bus_bandwidth(const MeasuredCollective& c, Bytes size, Seconds time) {
  return (size / time).in(gigabyte_per_second)*bus_factor(CollectiveOp::all_reduce, c.ranks);
}

/// The same case at every power of two from 1 MB, or its smallest size, to 16 GB.
Measurement at_all_sizes(Measurement m) {
  auto& points = m.collective->points;
  double first = 20;
  for (const auto& point : points) first = std::min(first, std::floor(std::log2(point.size.in(byte))));
  points.clear();
  for (double power = first; power <= 34; power += 0.5) points.push_back({std::exp2(power) * byte, 1 * second});
  return m;
}

CurvePanel panel_of(const Measurement& m, const ValidationContext& context) {
  const MeasuredCollective& c = *m.collective;
  const int nodes = c.ranks / c.ranks_per_node;
  CurvePanel panel;
  panel.heading = fmt::format("{} {} in {} {}{}", c.ranks, m.hardware.accelerator, nodes, nodes == 1 ? "node" : "nodes",
                              c.in_network_reduction.value_or(false) && nodes > 1 ? ", SHARP" : "");
  const CaseResult at_points = validate_case(m, context);
  std::vector<double> errors;
  for (std::size_t i = 0; i < at_points.predicted.size(); ++i) {
    panel.measured.push_back({c.points[i].size.in(byte), bus_bandwidth(c, c.points[i].size, c.points[i].time)});
    errors.push_back(std::abs(std::log(at_points.predicted[i] / at_points.measured[i])));
  }
  std::ranges::sort(errors);
  panel.words = fmt::format("{}: {} {}, median error {}", m.id.substr(0, m.id.find('-')), errors.size(),
                            errors.size() == 1 ? "size" : "sizes", percent_text(errors[errors.size() / 2]));
  const Measurement whole = at_all_sizes(m);
  const CaseResult curve = validate_case(whole, context);
  const auto rate = [&](std::size_t i, double us) {
    return bus_bandwidth(c, whole.collective->points[i].size, us * microsecond);
  };
  for (std::size_t i = 0; i < curve.predicted.size(); ++i)
    panel.predicted.push_back({whole.collective->points[i].size.in(byte), rate(i, curve.predicted[i]),
                               rate(i, curve.high[i]), rate(i, curve.low[i])});
  return panel;
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = CLUSTERWRIGHT_CONFIGS;
  const ValidationContext context = validation_context(load_shelf(folder));
  CurvePanels chart{{"collectives", "Bus bandwidth of all-reduce, predicted and measured",
                     "One panel for each published sweep; a line for the prediction, circles for measured sizes."},
                    "Bus bandwidth, GB/s, over the size of the message",
                    size_text,
                    {}};
  for (const Measurement& m : read_measurements(folder / ".." / "calibration" / "measurements" / "collectives.json"))
    if (is_drawn(m)) chart.panels.push_back(panel_of(m, context));
  std::ranges::stable_sort(chart.panels, {}, [](const CurvePanel& panel) { return panel.heading.ends_with("1 node"); });
  write_file(arguments[1], standalone(curve_panels_svg(chart, 1000, 3)));
  return 0;
}
