// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/peak_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/plan/plan.hpp"
#include "sim/diagnostic.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

constexpr double share_held = 0.90;
constexpr double least_part = 0.1;  // of what is not counted

/// Logarithm of what the peak asks of the memory that is not counted, over what the models have for it.
double error_of(const PeakRow& row) {
  const Bytes beyond = row.use.total() - row.use.counted();
  return std::log(std::max(least_part, (row.measured - row.use.counted()) / beyond));
}

Sourced<double> width_of(const std::vector<PeakRow>& rows, bool known) {
  std::map<std::string, int> peaks;
  for (const PeakRow& row : rows)
    if (row.known == known) ++peaks[row.series];
  std::vector<double> distances, weights;
  for (const PeakRow& row : rows) {
    if (row.known != known) continue;
    distances.push_back(std::abs(error_of(row)));
    weights.push_back(1.0 / peaks[row.series]);
  }
  if (distances.empty()) return sourced_value(0, 0, "no published peak");
  return sourced_value(
      weighted_quantile(distances, weights, share_held) / half_width_90, 0,
      fmt::format("{} published peaks on {} pairs of stack and accelerator", distances.size(), peaks.size()));
}

std::string series_of(const Scenario& s) {
  return s.stack.name + " " + s.cluster.accelerator.id;
}

}  // namespace

MemoryUse reported_memory(const ChosenPlan& chosen, const MeasuredStep& step) {
  MemoryUse use = chosen.memory;
  const Scenario& s = chosen.scenario;
  if (step.peak_of != "allocator" && !s.stack.memory.reports_allocator) return use;
  const StageLayout layout = stage_layout(s.transformer.layers, chosen.plan);
  use.reserved = use.reserved - outside_allocator(planned_job(s.transformer, s.job, s.stack, chosen.plan, layout));
  return use;
}

std::vector<PeakRow> peak_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  std::vector<PeakRow> rows;
  for (const Measurement& measurement : measurements) {
    if (!measurement.scored || !measurement.step || !measurement.step->peak_memory) continue;
    const auto scenario = measured_scenario(measurement, shelf);
    if (!std::holds_alternative<Scenario>(scenario)) continue;
    try {
      const ChosenPlan chosen = choose_plan(std::get<Scenario>(scenario));
      const bool known = shelf.steps.stacks.contains(chosen.scenario.stack.calibrated);
      rows.push_back({series_of(chosen.scenario), known, *measurement.step->peak_memory,
                      reported_memory(chosen, *measurement.step)});
    } catch (const ConfigError&) {
      // `validate` names the cases that contradict themselves.
    }
  }
  return rows;
}

MemoryResiduals memory_residuals(const std::vector<PeakRow>& rows) {
  MemoryResiduals out{width_of(rows, true), width_of(rows, false)};
  if (out.other.value < out.known.value) out.other = out.known;  // few peaks: not better known than the others
  return out;
}

}  // namespace clusterwright
