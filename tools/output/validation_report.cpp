// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_report.hpp"

#include <fmt/format.h>

#include <array>

#include "tools/build_facts.hpp"
#include "tools/output/layout_ranking_report.hpp"

namespace clusterwright {

namespace {

JsonValue numbers(const std::vector<double>& values, bool is_list) {
  if (!is_list) return values.empty() ? JsonValue() : JsonValue(values.front());
  JsonValue list = JsonValue::list();
  for (const double value : values) list.push_back(value);
  return list;
}

JsonValue also_json(const StepDetail& step) {
  return JsonValue::object({{"step_time_s", step.step_time.in(second)},
                            {"peak_memory_gb", step.peak_memory.in(gigabyte)},
                            {"fits", step.fits}});
}

JsonValue case_json(const CaseResult& result) {
  JsonValue out = JsonValue::object({{"id", result.id}, {"status", status_name(result.status)}});
  if (result.status == CaseStatus::ok) {
    out.set("predicted", numbers(result.predicted, result.is_list));
    out.set("unit", result.unit);
    out.set("low", numbers(result.low, result.is_list));
    out.set("high", numbers(result.high, result.is_list));
    if (result.step) out.set("also", also_json(*result.step));
  }
  out.set("reason", result.reason);
  return out;
}

JsonValue judged(double value, bool is_judged) {
  return is_judged ? JsonValue(value) : JsonValue();
}

/// Null for what was not judged: errors where nothing is predicted, intervals where no case has one of any width.
JsonValue figures_json(const ErrorFigures& figures) {
  const bool predicted = figures.coverage > 0, intervals = predicted && figures.median_half_width > 0;
  return JsonValue::object({{"name", figures.name},
                            {"n", figures.n},
                            {"coverage", figures.coverage},
                            {"median_abs_log", judged(figures.median_abs_log, predicted)},
                            {"p90_abs_log", judged(figures.p90_abs_log, predicted)},
                            {"bias", judged(figures.bias, predicted)},
                            {"within_10_percent", judged(figures.within_10_percent, predicted)},
                            {"in_interval", judged(figures.in_interval, intervals)},
                            {"median_half_width", judged(figures.median_half_width, intervals)}});
}

JsonValue figures_list(const std::vector<ErrorFigures>& all) {
  JsonValue list = JsonValue::list();
  for (const ErrorFigures& one : all) list.push_back(figures_json(one));
  return list;
}

/// What was left out belongs under the key of the target that it is held against.
JsonValue cross_json(const std::vector<HeldOutFigures>& cross) {
  JsonValue out = JsonValue::object();
  for (const char* key : {"by_model", "by_size", "by_accelerator", "by_source", "by_stack", "by_generation"}) {
    std::vector<ErrorFigures> lines;
    for (const HeldOutFigures& one : cross)
      if (one.key == key) lines.push_back(one.figures);
    out.set(key, figures_list(lines));
  }
  return out;
}

JsonValue baseline_json(const ConstantBaseline& baseline) {
  if (baseline.families.empty()) return {};
  JsonValue families = JsonValue::list();
  for (const BaselineFamily& family : baseline.families)
    families.push_back(JsonValue::object({{"name", family.model.name},
                                          {"n", family.model.n},
                                          {"median_abs_log", family.model.median_abs_log},
                                          {"p90_abs_log", family.model.p90_abs_log},
                                          {"constant_median_abs_log", family.constant.median_abs_log},
                                          {"constant_p90_abs_log", family.constant.p90_abs_log}}));
  return JsonValue::object({{"constants", baseline.constants},
                            {"families", families},
                            {"mean_family_median", baseline.model.median_abs_log},
                            {"mean_family_p90", baseline.model.p90_abs_log},
                            {"constant_mean_family_median", baseline.constant.median_abs_log},
                            {"constant_mean_family_p90", baseline.constant.p90_abs_log},
                            {"ratio", judged(baseline.ratio, baseline.ratio > 0)}});
}

JsonValue scaling_json(const ScalingFigures& figures) {
  const bool any = figures.pairs > 0;
  return JsonValue::object({{"pairs", figures.pairs},
                            {"median_abs_log", judged(figures.median_abs_log, any)},
                            {"p90_abs_log", judged(figures.p90_abs_log, any)},
                            {"bias", judged(figures.bias, any)},
                            {"unchanged_median_abs_log", judged(figures.unchanged_median, any)}});
}

JsonValue overall_json(const ValidationSummary& summary) {
  const ErrorFigures& mean = summary.mean_of_families;
  JsonValue out = figures_json(summary.overall);
  out.set("families", mean.n);
  out.set("mean_family_median", judged(mean.median_abs_log, mean.n > 0));
  out.set("mean_family_p90", judged(mean.p90_abs_log, mean.n > 0));
  return out;
}

}  // namespace

std::string status_name(CaseStatus status) {
  constexpr std::array<const char*, 4> names = {"ok", "unsupported", "infeasible", "error"};
  return names[static_cast<std::size_t>(status)];
}

JsonValue validation_json(const ValidationReport& report, JsonValue header) {
  const ValidationSummary& summary = report.summary;
  JsonValue results = JsonValue::list();
  for (const CaseResult& result : report.results) results.push_back(case_json(result));
  header.set("schema", 1);
  header.set("simulator", fmt::format("clusterwright {}", build_facts().version));
  header.set("results", results);
  header.set("families", figures_list(summary.families));
  header.set("kinds", figures_list(summary.kinds));
  header.set("overall", overall_json(summary));
  header.set("training", JsonValue::object({{"by_knowledge", figures_list(summary.by_knowledge)},
                                            {"by_precision", figures_list(summary.by_precision)},
                                            {"by_accelerator", figures_list(summary.by_accelerator)},
                                            {"peak_memory", figures_json(summary.peak_memory)}}));
  header.set("scaling", JsonValue::object({{"strong", scaling_json(summary.scaling.strong)},
                                           {"weak", scaling_json(summary.scaling.weak)}}));
  header.set("layout_ranking", layout_ranking_json(summary.layout_ranking));
  header.set("cross_validation", report.cross ? cross_json(*report.cross) : JsonValue());
  header.set("baseline_constant", baseline_json(summary.baseline));
  header.set("parameters_used", summary.parameters_used);
  return header;
}

}  // namespace clusterwright
