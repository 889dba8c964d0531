// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/ratio_widths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "calibration/fit/machine_error.hpp"
#include "calibration/fit/size_error.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "calibration/fit/width.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/prediction/variance.hpp"

namespace clusterwright {

namespace {

bool same_cell(const StepRow& a, const StepRow& b) {
  return !a.cell.empty() && a.cell == b.cell;
}

/// Width of one step's part in the error of a ratio: two steps of one job, batch and size under different layouts, of
/// which nothing had to be assumed. Each job counts once.
double layout_width(const StepFitResult& fit) {
  std::map<std::string, std::vector<std::size_t>> jobs;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    const StepRow& row = fit.rows[i];
    if (row.known)
      jobs[fmt::format("{} {} {}", work_key(row.scenario), row.plan.accelerators(), row.plan.global_batch)].push_back(
          i);
  }
  std::vector<double> errors, weights;
  for (const auto& [job, members] : jobs) {
    const std::size_t before = errors.size();
    for (std::size_t k = 1; k < members.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        const StepRow &a = fit.rows[members[k]], &b = fit.rows[members[l]];
        if (same_cell(a, b) || job_key(a.scenario, a.plan) == job_key(b.scenario, b.plan)) continue;
        errors.push_back((fit.errors[members[k]] - fit.errors[members[l]]) / std::sqrt(2.0));
        weights.push_back(std::min(a.share, b.share));
      }
    for (std::size_t i = before; i < weights.size(); ++i) weights[i] /= static_cast<double>(weights.size() - before);
  }
  return error_width(errors, weights);
}

/// Error of a row under a calibration.
StepUncertainty uncertainty_of(const StepRow& row, const StepCalibration& steps) {
  Scenario scenario = row.scenario;
  scenario.steps = steps;
  return step_uncertainty(predicted_step(row), scenario, row.known);
}

/// Pairs of steps of one job and layout on different numbers of accelerators. Each step has its weight once.
/// @param steps  without errors of sizes
std::vector<SizeErrorPair> size_error_pairs(const StepFitResult& fit, const StepCalibration& steps) {
  std::map<std::string, std::vector<std::size_t>> jobs;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) jobs[job_key(fit.rows[i].scenario, fit.rows[i].plan)].push_back(i);
  std::vector<SizeErrorPair> out;
  for (auto& [job, members] : jobs) {
    std::ranges::stable_sort(members, {}, [&](std::size_t i) { return fit.rows[i].plan.accelerators(); });
    std::vector<StepUncertainty> errors;
    if (members.size() > 1)
      for (const std::size_t i : members) errors.push_back(uncertainty_of(fit.rows[i], steps));
    for (std::size_t k = 1; k < members.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        const StepRow &larger = fit.rows[members[k]], &smaller = fit.rows[members[l]];
        if (larger.plan.accelerators() == smaller.plan.accelerators() || same_cell(larger, smaller)) continue;
        out.push_back({fit.errors[members[k]] - fit.errors[members[l]], lost_difference(errors[k], errors[l]),
                       std::log2(errors[k].accelerators / errors[l].accelerators),
                       squared(ratio_error(errors[k], errors[l], steps).slower),
                       std::min(larger.weight, smaller.weight) / static_cast<double>(members.size() - 1)});
      }
  }
  return out;
}

/// Pairs of steps of one task on equal numbers of different accelerators. Each step has its weight once.
/// @param steps  without errors of machines
std::vector<MachineErrorPair> machine_error_pairs(const StepFitResult& fit, const StepCalibration& steps) {
  std::map<std::string, std::vector<std::size_t>> tasks;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) tasks[task_key(fit.rows[i].scenario)].push_back(i);
  std::vector<MachineErrorPair> out;
  for (const auto& [task, members] : tasks) {
    if (members.size() < 2) continue;
    std::vector<StepUncertainty> errors;
    for (const std::size_t i : members) {
      errors.push_back(uncertainty_of(fit.rows[i], steps));
      errors.back().own = errors.back().machine = 0;
    }
    for (std::size_t k = 1; k < members.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        const StepRow &a = fit.rows[members[k]], &b = fit.rows[members[l]];
        if (errors[k].work == errors[l].work || a.plan.accelerators() != b.plan.accelerators()) continue;
        out.push_back({fit.errors[members[k]] - fit.errors[members[l]],
                       squared(ratio_error(errors[k], errors[l], steps).slower),
                       std::min(a.weight, b.weight) / static_cast<double>(members.size() - 1)});
      }
  }
  return out;
}

void publish_machines(const StepFitResult& fit, StepCalibration& steps) {
  const std::vector<MachineErrorPair> pairs = machine_error_pairs(fit, steps);
  steps.residuals.machine =
      sourced_value(fitted_machine_error(pairs), 0,
                    fmt::format("{} pairs of steps of one job and stack on two accelerators", pairs.size()));
}

void publish_sizes(const StepFitResult& fit, StepCalibration& steps) {
  StepResiduals& r = steps.residuals;
  r.size = r.size_lost = r.size_growth = {};
  const std::vector<SizeErrorPair> pairs = size_error_pairs(fit, steps);
  const SizeErrors errors = fitted_size_errors(pairs);
  const std::string source =
      fmt::format("{} pairs of steps of one job on different numbers of accelerators", pairs.size());
  r.size = sourced_value(errors.size, 0, source);
  r.size_lost = sourced_value(errors.lost, 0, source);
  r.size_growth = sourced_value(errors.growth, 0, source);
}

}  // namespace

void publish_ratios(const StepFitResult& fit, StepCalibration& steps) {
  steps.residuals.layout =
      sourced_value(layout_width(fit), 0, "pairs of steps of one job under different layouts, each job once");
  publish_machines(fit, steps);
  publish_sizes(fit, steps);
}

}  // namespace clusterwright
