// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/cross_validate_steps.hpp"

#include <tbb/parallel_for.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "calibration/fit/step_fit.hpp"
#include "calibration/validation/held_out_interval.hpp"
#include "calibration/validation/unmeasured_part.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

namespace {

struct Split {
  const char* key;
  const char* name;
  StepGroups groups;
  bool each_group = false;                               ///< figures of each group stand beside those of all
  std::function<std::string(const StepRow&)> also = {};  ///< name of rows whose figures stand there too, or nothing
};

std::string part_of(const StepRow& row) {
  return row.scenario.cluster.accelerator.id;
}

/// Calendar year of the software.
std::string year_of(const StepRow& row) {
  return std::to_string(release_of(row.scenario.stack, row.scenario.job).year);
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

std::vector<Split> splits(const std::vector<Measurement>& measurements) {
  const auto accelerators = [](const StepRow& row) { return std::to_string(row.plan.accelerators()); };
  // The first word names the publisher; it selects what is held out and is no input of any prediction.
  const auto source = [&](const StepRow& row) {
    const std::string& text = measurements[row.measurement].source;
    return text.substr(0, text.find(' '));
  };
  return {{"by_model", "training step, model held out", {model_of}},
          {"by_size", "training step, size held out", {accelerators}},
          {"by_large_size", "training step, more than 512 accelerators held out", {if_large}},
          {"by_accelerator", "training step, accelerator held out", {part_of}, false, if_of_another_vendor},
          {"by_source", "training step, source held out", {source}},
          {"by_stack", "training step, stack held out", {[](const StepRow& row) { return row.entry; }}},
          {"by_year", "training step, year and all later ones held out", {year_of, is_earlier}, true}};
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

/// Predictions of all rows: errors, slopes, and steps as their intervals see them.
struct Predicted {
  std::vector<StepRow> rows;
  std::vector<StepSlopes> slopes;
  std::vector<StepPrediction> steps;
};

Predicted predicted(std::vector<StepRow> rows, std::vector<StepSlopes> slopes) {
  Predicted out{std::move(rows), std::move(slopes), {}};
  out.steps.resize(out.rows.size());
  tbb::parallel_for(std::size_t{0}, out.rows.size(),
                    [&](std::size_t i) { out.steps[i] = predicted_step(out.rows[i]); });
  return out;
}

Predicted predicted(std::vector<StepRow> rows) {
  std::vector<StepSlopes> slopes = step_shares(rows);
  return predicted(std::move(rows), std::move(slopes));
}

/// @param groups  names of further groups, whose figures stand beside those of the split
SplitErrors split_errors(const Split& split, const StepFitResult& fit, const StepCalibration& calibration,
                         const Predicted& predicted, std::vector<std::string> groups) {
  SplitErrors out{split.key, split.name, {}, {}, std::move(groups)};
  HeldOutSteps held_out = hold_out_steps(fit, predicted.slopes, calibration, split.groups);
  out.calibrations = calibrations_without(fit, calibration, held_out.covariances);
  const std::vector<double> widths =
      held_out_half_widths(predicted.rows, predicted.steps, split.groups, out.calibrations);
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    if (held_out.groups[i].empty()) continue;
    out.errors.emplace_back(fit.rows[i].measurement, held_out.errors[i]);
    out.half_widths.push_back(widths[i]);
    out.held_out.push_back(held_out.groups[i]);
    if (split.each_group) out.groups.push_back(held_out.groups[i] + " and all later years held out");
    if (split.also) out.groups.push_back(split.also(fit.rows[i]));
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
  const auto add = [&](const Split& split, const Predicted& rows, std::vector<std::string> groups) {
    out.push_back(split_errors(split, fit, shelf.steps, rows, std::move(groups)));
  };
  const Predicted own = predicted(fit.rows, fit.slopes);
  for (const Split& split : splits(measurements)) add(split, own, {});
  HeldOutRows part = without_own_part(fit, microbenchmarks, shelf);
  add({"by_accelerator", "training step, accelerator and its kernels held out", {part_of}},
      predicted(std::move(part.rows)), std::move(part.groups));
  HeldOutRows generation = without_own_architecture(fit, microbenchmarks, shelf);
  add({"by_generation", "training step, generation held out", {[](const StepRow& row) { return row.architecture; }}},
      predicted(std::move(generation.rows)), std::move(generation.groups));
  return out;
}

}  // namespace clusterwright
