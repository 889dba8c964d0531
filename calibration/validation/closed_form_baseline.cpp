// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form_baseline.hpp"

#include <cmath>
#include <functional>

#include "calibration/fit/step_fit.hpp"
#include "calibration/validation/held_out_constants.hpp"

namespace clusterwright {

namespace {

/// Steps that the model and the closed form both predict.
std::vector<StepRow> common_rows(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results,
                                 const ScenarioShelf& shelf) {
  std::vector<StepRow> rows = closed_form_rows(measurements, shelf);
  std::erase_if(rows, [&](const StepRow& row) {
    const CaseResult& result = results[row.measurement];
    return !result.scored || !result.step || !is_valid(result);
  });
  return rows;
}

/// Figures of one group of lines under the names of the model's own.
void add_figures(const std::string& key, const std::string& name, const std::vector<StepRow>& rows,
                 const std::vector<double>& errors, const std::vector<CaseResult>& results,
                 std::vector<HeldOutFigures>& out) {
  SplitErrors split{key, name, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) split.errors.emplace_back(rows[i].measurement, errors[i]);
  for (HeldOutFigures& one : split_figures(split, results)) out.push_back(std::move(one));
}

}  // namespace

ClosedFormBaseline closed_form_baseline(const std::vector<Measurement>& measurements,
                                        const std::vector<CaseResult>& results, const ScenarioShelf& shelf) {
  const std::vector<StepRow> rows = common_rows(measurements, results, shelf);
  ClosedFormBaseline out;
  if (rows.empty()) return out;
  const ClosedFormFit fit = fit_closed_form(rows);
  out.parameters = fit.unknowns;
  std::vector<CaseResult> model, closed_form;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    model.push_back(results[rows[i].measurement]);
    closed_form.push_back(model.back());
    CaseResult& own = closed_form.back();
    own.predicted = own.low = own.high = {own.measured.front() * std::exp(fit.errors[i])};
  }
  const std::vector<ErrorFigures> of_model = family_figures(model), of_closed_form = family_figures(closed_form);
  for (std::size_t i = 0; i < of_model.size(); ++i) out.families.push_back({of_model[i], of_closed_form[i]});
  out.all = {error_figures("all", model), error_figures("all", closed_form)};
  out.mean = {mean_of_groups("mean of families", of_model), mean_of_groups("mean of families", of_closed_form)};
  if (out.mean.closed_form.median_abs_log > 0)
    out.ratio = out.mean.model.median_abs_log / out.mean.closed_form.median_abs_log;
  return out;
}

HeldOutBaselines cross_validate_baselines(const std::vector<Measurement>& measurements,
                                          const std::vector<CaseResult>& results, const ScenarioShelf& shelf) {
  const std::vector<StepRow> rows = common_rows(measurements, results, shelf);
  HeldOutBaselines out;
  if (rows.empty()) return out;
  const ClosedFormFit fit = fit_closed_form(rows);
  const auto add = [&](const char* key, const char* name, const std::function<std::string(const StepRow&)>& group) {
    add_figures(key, name, rows, held_out_closed_form(fit, rows, group), results, out.closed_form);
    add_figures(key, name, rows, held_out_constants(rows, results, group), results, out.constant);
  };
  add("by_model", "training step, model held out", model_of);
  add("by_size", "training step, size held out",
      [](const StepRow& row) { return std::to_string(row.plan.accelerators()); });
  add("by_accelerator", "training step, accelerator held out",
      [](const StepRow& row) { return row.scenario.cluster.accelerator.id; });
  return out;
}

}  // namespace clusterwright
