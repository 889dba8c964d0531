#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "calibration/measurement.hpp"
#include "calibration/validation/validate_collectives.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "sim/sha256.hpp"
#include "tools/cluster_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/interrupt.hpp"
#include "tools/output/result_header.hpp"
#include "tools/output/validation_report.hpp"
#include "tools/scenario_loader.hpp"
#include "tools/text_quantity.hpp"
#include "topology/catalog.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_errors = 8;

/// The shipped measurement set: beside configs, in the source tree or installed.
fs::path shipped_measurements() {
  const fs::path beside = configs_directory().parent_path();
  for (const char* place : {"calibration/measurements", "measurements"})
    if (fs::exists(beside / place / "schema.json")) return beside / place;
  throw ConfigError({Diagnostic{"E0401", "the shipped measurements are missing", {}, {}, "name files with --cases"}});
}

/// Files with cases of kinds that there are models for.
std::vector<fs::path> case_files(const ValidateRequest& request) {
  std::vector<fs::path> files(request.cases.begin(), request.cases.end());
  if (files.empty()) files.push_back(shipped_measurements() / "collectives.json");
  return files;
}

/// Sets by accelerator, each read once.
class SetShelf {
 public:
  explicit SetShelf(std::vector<InputFile>& inputs) : inputs_(inputs) {}

  const CollectiveSet& of(const std::string& accelerator) {
    const auto found = sets_.find(accelerator);
    if (found != sets_.end()) return found->second;
    return sets_.emplace(accelerator, load_collective_set(accelerator, "", inputs_)).first->second;
  }

  /// Numbers that a fit, not a definition or a data sheet, gave.
  int fitted_parameters() const {
    std::map<std::string, int> count;  // accelerators may share a set
    for (const auto& [accelerator, set] : sets_)
      for (const auto& [op, curve] : set.collectives) {
        int& own = count[set.name + "/" + op];
        own = 0;
        for (const std::string& source :
             {curve.base_latency.source, curve.rank_latency.source, curve.bandwidth_share.source,
              curve.small_group_loss.source, curve.half_time.source, curve.ramp_exponent.source})
          own += source.starts_with("fit");
      }
    int all = 0;
    for (const auto& [name, own] : count) all += own;
    return all;
  }

 private:
  std::vector<InputFile>& inputs_;
  std::map<std::string, CollectiveSet> sets_;
};

ValidationReport make_report(const ValidateRequest& request, std::vector<InputFile>& inputs) {
  ValidationReport report;
  const Catalog catalog = load_catalog(configs_directory() / "parts");
  SetShelf shelf(inputs);
  std::vector<Measurement> all;
  for (const fs::path& file : case_files(request)) {
    inputs.push_back({file.lexically_normal().string(), sha256(read_source(file, JsonLimits{}.bytes)->text())});
    for (Measurement& measurement : read_measurements(file)) all.push_back(std::move(measurement));
  }
  for (const Measurement& measurement : all) {
    stop_if_interrupted();
    report.results.push_back(
        validate_collective(measurement, catalog.accelerators,
                            [&](const std::string& id) -> const CollectiveSet& { return shelf.of(id); }));
  }
  report.families = family_figures(report.results);
  report.overall = error_figures("all", report.results);
  if (request.cross) report.cross = cross_validate_collectives(all, catalog.accelerators);
  report.parameters_used = shelf.fitted_parameters();
  return report;
}

std::string as_text(const ValidationReport& report, const std::function<std::string(const ResultTable&)>& render) {
  std::string text = render(family_table(report)) + "\n";
  if (report.cross) text += render(cross_table(report)) + "\n";
  text += render(worst_table(report, shown_errors));
  return text + fmt::format("\nFitted parameters behind these predictions: {}. {}\n", report.parameters_used,
                            report.cross ? "Each case: --format csv" : "Judge by --cross; each case: --format csv");
}

std::string render_as(OutputFormat format, const ValidationReport& report, const std::vector<InputFile>& inputs) {
  switch (format) {
    case OutputFormat::json:
      return write_json(validation_json(report, result_header("validate", 0, inputs))) + "\n";
    case OutputFormat::csv:
      return render_csv(case_table(report));
    case OutputFormat::markdown:
      return "# Validation\n\n" + as_text(report, render_markdown);
    default:
      return as_text(report, render_text);
  }
}

}  // namespace

ExitCode validate(const ValidateRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const double limit = request.max_error.empty() ? INFINITY : parse_share({"--max-error", request.max_error});
  std::vector<InputFile> inputs;
  const ValidationReport report = make_report(request, inputs);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, report, inputs); });
  const bool misses = std::any_of(report.families.begin(), report.families.end(), [&](const ErrorFigures& family) {
    return family.n > 0 && (family.coverage == 0 ? limit < INFINITY : family.median_abs_log > limit);
  });
  return misses ? ExitCode::differs : ExitCode::ok;
}

}  // namespace clusterwright
