// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_session.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
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
#include "tools/progress.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

void add_input(const fs::path& file, std::vector<InputFile>& inputs) {
  inputs.push_back({file.lexically_normal().string(), sha256(read_source(file, JsonLimits{}.bytes)->text())});
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

std::vector<ReadCase> read_files(const std::vector<fs::path>& files, std::vector<InputFile>& inputs) {
  const MeasurementSchema schema(read_json_file(measurement_folder() / "schema.json"));
  std::vector<ReadCase> all;
  for (const fs::path& file : files) {
    std::vector<ReadCase> cases = read_cases(file, schema);
    add_input(file, inputs);
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

/// Says what is wrong with broken cases, and stops where nothing else is left.
void judge_reading(const std::vector<ReadCase>& cases, bool quiet) {
  std::vector<Diagnostic> errors;
  std::size_t broken = 0;
  for (const ReadCase& one : cases) {
    broken += !one.errors.empty();
    errors.insert(errors.end(), one.errors.begin(), one.errors.end());
  }
  if (broken == 0) return;
  if (errors.size() > ConfigError::limit) errors.resize(ConfigError::limit);
  if (broken == cases.size()) throw ConfigError(errors);
  if (quiet) return;
  for (const Diagnostic& error : errors) std::fputs(render(error).c_str(), stderr);
  fmt::print(stderr, "{} of {} cases are broken; the others are predicted.\n", broken, cases.size());
}

std::vector<CaseResult> predict_all(const std::vector<ReadCase>& cases, const ValidationContext& context, bool quiet) {
  std::vector<CaseResult> results(cases.size());
  Progress progress("validate", cases.size(), quiet);
  std::atomic<std::size_t> finished = 0;
  tbb::parallel_for(std::size_t{0}, cases.size(), [&](std::size_t i) {
    results[i] = validate_case(cases[i], context);
    progress.finished(++finished);
  });
  return results;
}

std::vector<HeldOutFigures> cross_validation(const std::vector<Measurement>& measurements,
                                             const std::vector<CaseResult>& results, const ScenarioShelf& shelf) {
  const std::vector<AcceleratorPart>& parts = shelf.catalog.accelerators;
  std::vector<HeldOutFigures> out;
  const auto add = [&](std::vector<HeldOutFigures> figures) {
    for (HeldOutFigures& one : figures) out.push_back(std::move(one));
  };
  for (const SplitErrors& split : cross_validate_steps(measurements, read_microbenchmarks(measurement_folder()), shelf))
    add(split_figures(split, results));
  add(cross_validate_collectives(measurements, parts));
  add(cross_validate_kernels(measurements, parts));
  return out;
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
  std::vector<fs::path> files;
  for (const char* name :
       {"training-nvidia-ampere", "training-nvidia-hopper", "training-nvidia-blackwell", "training-vtrain-a100",
        "training-tpu", "gemm", "memory-bandwidth", "attention", "collectives", "memory-footprint", "power"})
    files.push_back(folder / (std::string(name) + ".json"));
  return files;
}

ValidationReport validate_files(const std::vector<fs::path>& files, const ValidationOptions& options) {
  const bool quiet = options.quiet;
  ValidationReport report;
  const std::vector<ReadCase> cases = read_files(files, report.inputs);
  judge_reading(cases, quiet);
  ScenarioShelf shelf = load_shelf(configs_directory());
  add_configs(report.inputs);
  // Before the others: the first set of an accelerator is taken, its siblings keep theirs.
  if (!options.parameters.empty())
    shelf.parameters.insert(shelf.parameters.begin(),
                            decode_record<ParameterSet>(read_input(options.parameters, report.inputs)));
  const ValidationContext context = validation_context(std::move(shelf));
  report.results = predict_all(cases, context, quiet);
  std::vector<Measurement> measurements;
  for (const ReadCase& one : cases) measurements.push_back(one.measurement);
  report.summary = summarise(measurements, report.results, context.shelf);
  if (options.cross) report.cross = cross_validation(measurements, report.results, context.shelf);
  return report;
}

}  // namespace clusterwright
