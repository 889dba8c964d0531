// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/validation_summary.hpp"

#include <set>

#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

/// Collects values whose source begins with "fit of", as text: a value that several sets borrow from one fit counts
/// once.
void collect_fitted(const JsonValue& value, const std::string& key, std::set<std::string>& out) {
  const JsonValue *source = value.find("source"), *number = value.find("value");
  if (number && source && source->is(JsonKind::text) && source->as_text().starts_with("fit of"))
    out.insert(key + write_json(*number) + source->as_text());
  for (const auto& [name, member] : value.members()) collect_fitted(member, name, out);
  for (const JsonValue& element : value.elements()) collect_fitted(element, key, out);
}

int parameters_behind(const std::vector<CaseResult>& results, const ScenarioShelf& shelf) {
  std::vector<std::string> accelerators;
  bool steps = false;
  for (const CaseResult& result : results) {
    if (!result.scored || !is_valid(result)) continue;
    steps = steps || result.step.has_value() ||
            measurement_kind(result.kind) == MeasurementKind::power;  // power follows from a predicted step
    accelerators.push_back(result.accelerator);
  }
  return fitted_parameters(shelf, accelerators, steps);
}

std::string knowledge(const CaseResult& result) {
  if (!result.known) return {};
  return *result.known ? "every job field published" : "something chosen";
}

std::string transformer(const CaseResult& result) {
  if (!result.mixture) return {};
  return *result.mixture ? "mixtures of experts" : "dense models";
}

/// Cases with peak memory in place of the score.
std::vector<CaseResult> peak_memories(const std::vector<CaseResult>& results) {
  std::vector<CaseResult> out;
  for (const CaseResult& result : results) {
    if (!result.step || !result.step->measured_peak) continue;
    out.push_back(result);
    out.back().scored = true;
    out.back().measured = {result.step->measured_peak->in(gigabyte)};
    out.back().predicted = {result.step->peak_memory.in(gigabyte)};
    out.back().low = {result.step->peak_range.low.in(gigabyte)};
    out.back().high = {result.step->peak_range.high.in(gigabyte)};
  }
  return out;
}

}  // namespace

int fitted_parameters(const ScenarioShelf& shelf, const std::vector<std::string>& accelerators, bool steps) {
  std::set<const ParameterSet*> used;
  for (const std::string& accelerator : accelerators)
    if (const ParameterSet* set = parameters_for(shelf, accelerator)) used.insert(set);
  std::set<std::string> fitted;
  for (const ParameterSet* set : used) collect_fitted(encode_record(*set), "", fitted);
  return static_cast<int>(fitted.size() + (steps ? shelf.steps.fitted.size() : 0));
}

ValidationSummary summarise(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results,
                            const ScenarioShelf& shelf) {
  const auto of_steps = [](std::string CaseResult::*field) {
    return [field](const CaseResult& one) {
      return measurement_kind(one.kind) == MeasurementKind::training_step ? one.*field : std::string();
    };
  };
  ValidationSummary out;
  out.families = family_figures(results);
  out.kinds = grouped_figures(results, [](const CaseResult& one) { return one.kind; });
  out.by_knowledge = grouped_figures(results, knowledge);
  out.by_transformer = grouped_figures(results, transformer);
  out.by_precision = grouped_figures(results, of_steps(&CaseResult::precision));
  out.by_accelerator = grouped_figures(results, of_steps(&CaseResult::accelerator));
  out.peak_memory = error_figures("peak memory, where published", peak_memories(results));
  out.overall = error_figures("all", results);
  out.mean_of_families = mean_of_groups("mean of families", out.families);
  out.baseline = constant_baseline(results);
  out.closed_form = closed_form_baseline(measurements, results, shelf);
  out.scaling = scaling_shape(measurements, results);
  out.changed = changed_fields(measurements, results, shelf.catalog);
  out.layout_ranking = layout_ranking(measurements, results);
  out.pair_reliability = pair_reliability(judged_pairs(step_pairs(measurements, results), results, shelf.steps));
  out.parameters_used = parameters_behind(results, shelf);
  return out;
}

}  // namespace clusterwright
