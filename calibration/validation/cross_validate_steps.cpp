// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/cross_validate_steps.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "calibration/fit/step_fit.hpp"
#include "calibration/validation/unmeasured_part.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "models/settling/step_what_ifs.hpp"

namespace clusterwright {

namespace {

/// What the interval of a held-out row is not told.
enum class Unknown { nothing, stack, part, architecture };

struct Split {
  const char* key;
  const char* name;
  StepGroups groups;
  bool each_group = false;  ///< figures of each group stand beside those of all
  Unknown unknown = Unknown::nothing;
  std::function<std::string(const StepRow&)> also = {};  ///< name of rows whose figures stand there too, or nothing
};

std::string part_of(const StepRow& row) {
  return row.scenario.cluster.accelerator.id;
}

/// Calendar year of the software.
std::string year_of(const StepRow& row, const CalendarDate& reference) {
  return std::to_string(static_cast<int>(std::floor(reference.year + (reference.month - 1) / 12.0 + row.years)));
}

constexpr int large = 512;

std::string if_large(const StepRow& row) {
  return row.plan.accelerators() > large ? "more than 512 accelerators" : "";
}

/// The fits rest on parts of NVIDIA.
std::string if_of_another_vendor(const StepRow& row) {
  return row.scenario.cluster.accelerator.vendor == "NVIDIA" ? "" : "accelerator of another vendor held out";
}

bool is_earlier(const std::string& year, const std::string& held_out) {
  return year < held_out;
}

std::vector<Split> splits(const std::vector<Measurement>& measurements, const CalendarDate& reference) {
  const auto accelerators = [](const StepRow& row) { return std::to_string(row.plan.accelerators()); };
  // The first word names the publisher; it selects what is held out and is no input of any prediction.
  const auto source = [&](const StepRow& row) {
    const std::string& text = measurements[row.measurement].source;
    return text.substr(0, text.find(' '));
  };
  const auto year = [reference](const StepRow& row) { return year_of(row, reference); };
  return {
      {"by_model", "training step, model held out", {model_of}},
      {"by_size", "training step, size held out", {accelerators}},
      {"by_large_size", "training step, more than 512 accelerators held out", {if_large}},
      {"by_accelerator", "training step, accelerator held out", {part_of}, false, Unknown::part, if_of_another_vendor},
      {"by_source", "training step, source held out", {source}},
      {"by_stack",
       "training step, stack held out",
       {[](const StepRow& row) { return row.entry; }},
       false,
       Unknown::stack},
      {"by_year", "training step, year and all later ones held out", {year, is_earlier}, true}};
}

/// Rows with the kernels that they would have without the held-out measurements, and the names of their groups.
struct HeldOutRows {
  std::vector<StepRow> rows;
  std::vector<std::string> groups;
};

HeldOutRows without_own_part(const StepFitResult& fit, const std::vector<Measurement>& microbenchmarks,
                             const ScenarioShelf& shelf) {
  std::map<std::string, UnmeasuredPart> parts;
  HeldOutRows out{fit.rows, {}};
  for (StepRow& row : out.rows) {
    const AcceleratorPart& part = row.scenario.cluster.accelerator;
    const auto [found, added] = parts.try_emplace(part.id);
    if (added) found->second = as_if_unmeasured(part, microbenchmarks, shelf);
    row.scenario.parameters = found->second.parameters;
    out.groups.push_back(part.id + " held out, " + found->second.origin);
  }
  return out;
}

HeldOutRows without_own_architecture(const StepFitResult& fit, const std::vector<Measurement>& microbenchmarks,
                                     const ScenarioShelf& shelf) {
  std::map<std::string, ParameterSet> sets;
  HeldOutRows out{fit.rows, {}};
  for (StepRow& row : out.rows) {
    const auto [found, added] = sets.try_emplace(row.architecture);
    if (added) found->second = without_architecture(row.architecture, microbenchmarks, shelf.catalog);
    row.scenario.parameters = found->second;
    out.groups.push_back(row.architecture + " held out");
  }
  return out;
}

/// Calibration without any step of the row's part, or of its architecture. Names are blanked rather than removed, since
/// the covariance is in their order.
StepCalibration blind(StepCalibration steps, const StepRow& row, Unknown unknown) {
  if (unknown != Unknown::part && unknown != Unknown::architecture) return steps;
  std::replace(steps.accelerators.begin(), steps.accelerators.end(), row.scenario.cluster.accelerator.id,
               std::string());
  double& left = steps.measured_steps[row.architecture];
  left = std::max(0.0, left - steps.measured_steps[row.scenario.cluster.accelerator.id]);
  const std::string tax = "kernel_tax/" + row.architecture;
  if (unknown == Unknown::architecture) std::replace(steps.fitted.begin(), steps.fitted.end(), tax, std::string());
  return steps;
}

/// Half-width of the 90 % interval of each row, as if what is unknown had never been measured.
std::vector<double> half_widths(const std::vector<StepRow>& rows, Unknown unknown) {
  std::vector<double> widths(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    Scenario scenario = rows[i].scenario;
    scenario.steps = blind(scenario.steps, rows[i], unknown);
    if (unknown == Unknown::stack) scenario.stack.calibrated.clear();
    const StepTime summary = time_step(scenario, rows[i].plan);
    StepPrediction step;
    step.plan = rows[i].plan;
    step.step_time = to_seconds(summary.end);
    std::copy(summary.breakdown.begin(), summary.breakdown.end(), step.breakdown.begin());
    widths[i] = half_width_90 * step_uncertainty(step, scenario, rows[i].known).sigma;
  });
  return widths;
}

/// Calibration with the covariance that the factors have without each group. Its values stay: intervals of ratios need
/// the covariance alone.
std::map<std::string, StepCalibration> calibrations_without(
    const StepFitResult& fit, StepCalibration steps, const std::map<std::string, std::vector<double>>& covariances) {
  std::map<std::string, StepCalibration> out;
  steps.fitted.clear();
  for (const StepUnknown& unknown : fit.unknowns) steps.fitted.push_back(unknown.name());
  for (const auto& [group, covariance] : covariances) {
    steps.covariance = covariance;
    out[group] = steps;
  }
  return out;
}

}  // namespace

std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements,
                                              const std::vector<Measurement>& microbenchmarks,
                                              const ScenarioShelf& shelf) {
  const StepFitResult fit = committed_steps(measurements, shelf);
  std::vector<SplitErrors> out;
  if (fit.rows.empty()) return out;
  const auto add = [&](const Split& split, const std::vector<StepSlopes>& slopes, const std::vector<double>& own_widths,
                       std::vector<std::string> groups) {
    SplitErrors errors{split.key, split.name, {}, {}, std::move(groups)};
    HeldOutSteps held_out = hold_out_steps(fit, slopes, shelf.steps, split.groups);
    for (std::size_t i = 0; i < fit.rows.size(); ++i) {
      if (held_out.groups[i].empty()) continue;
      errors.errors.emplace_back(fit.rows[i].measurement, held_out.errors[i]);
      errors.half_widths.push_back(own_widths[i]);
      errors.held_out.push_back(held_out.groups[i]);
      if (split.each_group) errors.groups.push_back(held_out.groups[i] + " and all later years held out");
      if (split.also) errors.groups.push_back(split.also(fit.rows[i]));
    }
    errors.calibrations = calibrations_without(fit, shelf.steps, held_out.covariances);
    out.push_back(std::move(errors));
  };
  std::map<Unknown, std::vector<double>> widths;  // most splits leave the same unknown
  for (const Split& split : splits(measurements, shelf.steps.reference_date)) {
    std::vector<double>& own = widths[split.unknown];
    if (own.empty()) own = half_widths(fit.rows, split.unknown);
    add(split, fit.slopes, own, {});
  }
  HeldOutRows part = without_own_part(fit, microbenchmarks, shelf);
  add({"by_accelerator", "training step, accelerator and its kernels held out", {part_of}}, step_shares(part.rows),
      half_widths(part.rows, Unknown::part), std::move(part.groups));
  HeldOutRows generation = without_own_architecture(fit, microbenchmarks, shelf);
  add({"by_generation", "training step, generation held out", {[](const StepRow& row) { return row.architecture; }}},
      step_shares(generation.rows), half_widths(generation.rows, Unknown::architecture), std::move(generation.groups));
  return out;
}

}  // namespace clusterwright
