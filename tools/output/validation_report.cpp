// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_report.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <utility>

#include "calibration/measured/measurement_schema.hpp"
#include "calibration/validation/cross_validate_collectives.hpp"
#include "calibration/validation/cross_validate_kernels.hpp"
#include "calibration/validation/cross_validate_steps.hpp"
#include "calibration/validation/validate_case.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/sha256.hpp"
#include "tools/build_facts.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/reliability_table.hpp"
#include "tools/output/validation_tables.hpp"
#include "tools/standard_streams.hpp"

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

/// Held-out figures under the keys of the targets that they are compared with.
JsonValue cross_json(const std::vector<HeldOutFigures>& cross, const std::vector<const char*>& keys) {
  JsonValue out = JsonValue::object();
  for (const char* key : keys) {
    std::vector<ErrorFigures> lines;
    for (const HeldOutFigures& one : cross)
      if (one.key == key) lines.push_back(one.figures);
    out.set(key, figures_list(lines));
  }
  return out;
}

/// Held-out figures of the model, and of the baselines beside them.
JsonValue cross_json(const ValidationReport& report) {
  const std::vector<const char*> of_baselines = {"by_model", "by_size", "by_accelerator"};
  JsonValue out = cross_json(*report.cross, {"by_model", "by_size", "by_large_size", "by_accelerator", "by_source",
                                             "by_stack", "by_year", "by_generation"});
  out.set("closed_form", cross_json(report.cross_baselines.closed_form, of_baselines));
  out.set("constant", cross_json(report.cross_baselines.constant, of_baselines));
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

JsonValue closed_form_json(const ClosedFormBaseline& baseline) {
  if (baseline.families.empty()) return {};
  JsonValue families = JsonValue::list(), parameters = JsonValue::object();
  for (const ClosedFormFamily& family : baseline.families)
    families.push_back(JsonValue::object({{"name", family.model.name},
                                          {"n", family.model.n},
                                          {"median_abs_log", family.model.median_abs_log},
                                          {"p90_abs_log", family.model.p90_abs_log},
                                          {"closed_form_median_abs_log", family.closed_form.median_abs_log},
                                          {"closed_form_p90_abs_log", family.closed_form.p90_abs_log}}));
  for (const ClosedFormUnknown& one : baseline.parameters) parameters.set(one.name(), one.value);
  return JsonValue::object({{"families", families},
                            {"mean_family_median", baseline.mean.model.median_abs_log},
                            {"mean_family_p90", baseline.mean.model.p90_abs_log},
                            {"closed_form_mean_family_median", baseline.mean.closed_form.median_abs_log},
                            {"closed_form_mean_family_p90", baseline.mean.closed_form.p90_abs_log},
                            {"model", figures_json(baseline.all.model)},
                            {"closed_form", figures_json(baseline.all.closed_form)},
                            {"ratio", judged(baseline.ratio, baseline.ratio > 0)},
                            {"parameters", parameters}});
}

JsonValue ratios_json(const RatioFigures& figures) {
  const bool any = figures.pairs > 0;
  return JsonValue::object({{"pairs", figures.pairs},
                            {"median_abs_log", judged(figures.median_abs_log, any)},
                            {"p90_abs_log", judged(figures.p90_abs_log, any)},
                            {"bias", judged(figures.bias, any)},
                            {"unchanged_median_abs_log", judged(figures.unchanged_median, any)}});
}

JsonValue changed_json(const std::vector<ChangedField>& changed) {
  JsonValue out = JsonValue::list();
  for (const ChangedField& field : changed) {
    JsonValue one = ratios_json(field.figures);
    one.set("name", field.name);
    out.push_back(one);
  }
  return out;
}

JsonValue overall_json(const ValidationSummary& summary) {
  const ErrorFigures& mean = summary.mean_of_families;
  JsonValue out = figures_json(summary.overall);
  out.set("families", mean.n);
  out.set("mean_family_median", judged(mean.median_abs_log, mean.n > 0));
  out.set("mean_family_p90", judged(mean.p90_abs_log, mean.n > 0));
  return out;
}

/// What ships, and under the keys of the splits what fits without the steps of a pair would have said.
JsonValue pair_reliability_json(const ValidationReport& report) {
  JsonValue out = JsonValue::object({{"shipped", reliability_json(report.summary.pair_reliability)}});
  JsonValue held_out = report.cross_reliability ? JsonValue::object() : JsonValue();
  if (report.cross_reliability)
    for (const HeldOutReliability& one : *report.cross_reliability)
      held_out.set(one.key, reliability_json(one.reliability));
  out.set("held_out", held_out);
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
  header.set("interrupted", report.interrupted);
  header.set("results", results);
  header.set("families", figures_list(summary.families));
  header.set("kinds", figures_list(summary.kinds));
  header.set("overall", overall_json(summary));
  header.set("training", JsonValue::object({{"by_knowledge", figures_list(summary.by_knowledge)},
                                            {"by_transformer", figures_list(summary.by_transformer)},
                                            {"by_precision", figures_list(summary.by_precision)},
                                            {"by_accelerator", figures_list(summary.by_accelerator)},
                                            {"peak_memory", figures_json(summary.peak_memory)}}));
  header.set("scaling", JsonValue::object({{"strong", ratios_json(summary.scaling.strong)},
                                           {"weak", ratios_json(summary.scaling.weak)}}));
  header.set("changed_field", changed_json(summary.changed));
  header.set("layout_ranking", layout_ranking_json(summary.layout_ranking));
  header.set("pair_reliability", pair_reliability_json(report));
  header.set("cross_validation", report.cross ? cross_json(report) : JsonValue());
  header.set("baseline_constant", baseline_json(summary.baseline));
  header.set("baseline_closed_form", closed_form_json(summary.closed_form));
  header.set("parameters_used", summary.parameters_used);
  return header;
}

namespace {

namespace fs = std::filesystem;

void add_input(const fs::path& file, std::vector<InputFile>& inputs) {
  inputs.push_back({file.lexically_normal().string(), sha256(read_source(file, measurement_limits.bytes)->text())});
}

/// Everything that predictions rest on beside the cases.
void add_configs(std::vector<InputFile>& inputs) {
  for (const char* folder : {"parameters", "parts", "stacks", "steps"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(configs_directory() / folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) add_input(file, inputs);
  }
}

/// A case that is there twice would count twice. @param known  ids so far, with their files
void check_new(const std::string& id, const fs::path& file, std::map<std::string, fs::path>& known) {
  const auto [first, fresh] = known.emplace(id, file);
  if (fresh) return;
  const auto place = [](const fs::path& path) {
    return Place{std::make_shared<const SourceText>(path.string(), ""), 0, 1, ""};
  };
  throw ConfigError(Diagnostic{"E0204",
                               fmt::format("two cases have the id \"{}\"", id.substr(0, 80)),
                               {place(file), place(first->second)},
                               "",
                               "name each file once, and give each case an id of its own"});
}

std::vector<ReadCase> read_files(const std::vector<fs::path>& files, std::vector<InputFile>& inputs) {
  const MeasurementSchema schema(read_json_file(measurement_folder() / "schema.json"));
  std::vector<ReadCase> all;
  std::map<std::string, fs::path> known;
  for (const fs::path& file : files) {
    std::vector<ReadCase> cases = read_cases(file, schema);
    add_input(file, inputs);
    for (const ReadCase& one : cases) check_new(one.measurement.id, file, known);
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

/// Reports the errors of broken cases; throws if every case is broken.
void judge_reading(const std::vector<ReadCase>& cases, bool quiet) {
  std::vector<Diagnostic> errors;
  std::size_t broken = 0;
  std::map<std::string, int> ignored;  // cases by key
  for (const ReadCase& one : cases) {
    broken += !one.errors.empty();
    errors.insert(errors.end(), one.errors.begin(), one.errors.end());
    for (const Diagnostic& key : one.ignored) ++ignored[key.message];
  }
  if (!quiet)
    for (const auto& [message, count] : ignored)
      write_error(fmt::format("ignored in {} of {} cases: {}\n", count, cases.size(), message));
  if (broken == 0) return;
  if (errors.size() > ConfigError::limit) errors.resize(ConfigError::limit);
  if (broken == cases.size()) throw ConfigError(errors);
  if (quiet) return;
  for (const Diagnostic& error : errors) write_error(render(error));
  write_error(fmt::format("{} of {} cases are broken; the others are predicted.\n", broken, cases.size()));
}

/// Predicts the cases until Ctrl-C, and drops those that were not begun by then. @return whether there are such cases
bool predict_all(std::vector<ReadCase>& cases, const ValidationContext& context, bool quiet,
                 std::vector<CaseResult>& results) {
  std::vector<std::optional<CaseResult>> predicted(cases.size());
  ProgressLine progress("validate", cases.size(), quiet);
  std::atomic<std::size_t> finished = 0;
  tbb::parallel_for(std::size_t{0}, cases.size(), [&](std::size_t i) {
    if (interrupted()) return;
    predicted[i] = validate_case(cases[i], context);
    progress.finished(++finished);
  });
  std::vector<ReadCase> kept;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!predicted[i]) continue;
    results.push_back(std::move(*predicted[i]));
    kept.push_back(std::move(cases[i]));
  }
  if (kept.empty()) stop_if_interrupted();
  const bool incomplete = kept.size() < cases.size();
  cases = std::move(kept);
  return incomplete;
}

/// Both steps of a pair are of one publisher, and but for their layout of one model: held out together.
std::vector<HeldOutReliability> held_out_reliability(const std::vector<StepPair>& pairs,
                                                     const std::vector<CaseResult>& results,
                                                     const std::vector<SplitErrors>& splits,
                                                     const StepCalibration& steps) {
  std::vector<HeldOutReliability> out;
  for (const SplitErrors& split : splits)
    if (split.key == "by_model" || split.key == "by_source")
      out.push_back({split.key, split.name, pair_reliability(judged_pairs(pairs, results, steps, split))});
  return out;
}

std::vector<HeldOutFigures> cross_validation(const std::vector<Measurement>& measurements,
                                             const std::vector<SplitErrors>& splits,
                                             const std::vector<CaseResult>& results, const ScenarioShelf& shelf) {
  const std::vector<AcceleratorPart>& parts = shelf.catalog.accelerators;
  std::vector<HeldOutFigures> out;
  const auto add = [&](std::vector<HeldOutFigures> figures) {
    for (HeldOutFigures& one : figures) out.push_back(std::move(one));
  };
  for (const SplitErrors& split : splits) add(split_figures(split, results));
  add(cross_validate_collectives(measurements, parts));
  add(cross_validate_kernels(measurements, parts));
  return out;
}

void cross_validate(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf,
                    ValidationReport& report) {
  const std::vector<SplitErrors> splits =
      cross_validate_steps(measurements, read_microbenchmarks(measurement_folder()), shelf);
  report.cross = cross_validation(measurements, splits, report.results, shelf);
  report.cross_reliability =
      held_out_reliability(step_pairs(measurements, report.results), report.results, splits, shelf.steps);
  report.cross_baselines = cross_validate_baselines(measurements, report.results, shelf);
}

}  // namespace

fs::path measurement_folder() {
  const fs::path beside = configs_directory().parent_path();
  for (const char* place : {"calibration/measurements", "measurements"})
    if (fs::exists(beside / place / "schema.json")) return beside / place;
  throw ConfigError({Diagnostic{"E0401", "the shipped measurements are missing", {}, {}, "name files with --cases"}});
}

std::vector<fs::path> shipped_cases() {
  const fs::path folder = measurement_folder();
  std::vector<fs::path> files = measurement_files(folder, "training-");
  for (const char* name :
       {"gemm", "memory-bandwidth", "attention", "collectives", "collectives-dispatch", "memory-footprint", "power"})
    files.push_back(folder / (std::string(name) + ".json"));
  return files;
}

ValidationReport validate_files(const std::vector<fs::path>& files, const ValidationOptions& options) {
  const bool quiet = options.quiet;
  ValidationReport report;
  std::vector<ReadCase> cases = read_files(files, report.inputs);
  judge_reading(cases, quiet);
  ScenarioShelf shelf = load_shelf(configs_directory());
  add_configs(report.inputs);
  // Before the others: the first set of an accelerator is taken, its siblings keep theirs.
  if (!options.parameters.empty())
    shelf.parameters.insert(shelf.parameters.begin(),
                            decode_record<ParameterSet>(
                                read_input(named_file(options.parameters.string(), {"parameters"}), report.inputs)));
  const ValidationContext context = validation_context(std::move(shelf));
  report.interrupted = predict_all(cases, context, quiet, report.results);
  share_cells(report.results);
  std::vector<Measurement> measurements;
  for (const ReadCase& one : cases) measurements.push_back(one.measurement);
  report.summary = summarise(measurements, report.results, context.shelf);
  if (options.cross && !report.interrupted) cross_validate(measurements, context.shelf, report);
  return report;
}

}  // namespace clusterwright
