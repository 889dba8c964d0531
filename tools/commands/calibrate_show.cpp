// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "calibration/fit/sample_fit.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"
#include "tools/calibration/sample_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/calibration_tables.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/validation_report.hpp"
#include "tools/typed_text.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t listed_worst = 8;

/// What was asked for, read.
struct Shown {
  std::optional<ParameterSet> set;  ///< named by the user
  std::optional<SampleSession> samples;
  std::vector<SectionFit> own;        ///< samples, by the set or what `run` would take
  std::vector<SectionFit> published;  ///< published microbenchmarks of the same accelerator, likewise
  std::vector<InputFile> inputs;
  std::string predicted_by;
};

/// Tells parameter files from samples; at most one of the former.
std::vector<std::string> read_set(const CalibrateShowRequest& request, Shown& shown) {
  std::vector<std::string> samples;
  for (const std::string& file : request.files) {
    if (std::filesystem::is_directory(file)) {
      samples.push_back(file);
      continue;
    }
    const JsonValue document = read_input(named_file(file, {"parameters"}), shown.inputs, measurement_limits);
    if (!document.find("gemm")) {
      samples.push_back(file);
    } else if (shown.set) {
      throw ConfigError(
          {"E0404", "two parameter files are given", {}, "", "name one, and the samples to compare it with"});
    } else {
      shown.set = decode_record<ParameterSet>(document);
    }
  }
  return samples;
}

Shown read_all(const CalibrateShowRequest& request) {
  Shown shown;
  const std::vector<std::string> files = read_set(request, shown);
  const std::int64_t threads = request.host_threads.empty() ? 0 : parse_count({"--host-threads", request.host_threads});
  if (!files.empty()) {
    shown.samples = open_samples({files, request.accelerator, "", threads});
    shown.inputs.insert(shown.inputs.end(), shown.samples->inputs.begin(), shown.samples->inputs.end());
  }
  const ParameterSet* set = shown.set ? &*shown.set : shown.samples ? &shown.samples->base : nullptr;
  if (!set) return shown;
  shown.predicted_by = set->name;
  if (shown.samples)
    shown.own =
        check_samples(shown.samples->samples, shown.samples->part, *set, links_of(request.cluster, *shown.samples));
  const Catalog catalog = load_catalog(configs_directory() / "parts");
  const std::string id = shown.samples ? shown.samples->part.id : set->accelerator;
  if (const AcceleratorPart* part = catalog.find_accelerator(id))
    shown.published = check_published(read_microbenchmarks(measurement_folder()), *part, *set);
  return shown;
}

ResultTable probe_table(const SampleSession& session) {
  ResultTable table{"Samples",
                    {{"probe", "Probe", "", 1, -1, Alignment::left},
                     {"samples", "Samples", ""},
                     {"repetitions", "Repetitions", ""},
                     {"skipped", "Skipped", ""}},
                    {}};
  for (const std::string& probe : known_probes()) {
    std::int64_t samples = 0, repetitions = 0, skipped = 0;
    for (const ProbeSamples& document : session.samples) {
      for (const ProbeSample& one : document.samples) {
        if (probe_name(one.what) != probe) continue;
        ++samples;
        repetitions += static_cast<std::int64_t>(one.repetitions.size());
      }
      skipped += std::count_if(document.skipped.begin(), document.skipped.end(),
                               [&](const SkippedProbe& one) { return one.probe == probe; });
    }
    if (samples + skipped > 0) table.rows.push_back({probe, samples, repetitions, skipped});
  }
  return table;
}

std::vector<ResultTable> tables_of(const Shown& shown) {
  std::vector<ResultTable> tables;
  if (shown.samples) tables.push_back(probe_table(*shown.samples));
  if (!shown.own.empty()) {
    tables.push_back(section_table(shown.own, JudgedHow::as_it_stands));
    tables.back().title = "Own samples, predicted by " + shown.predicted_by;
    tables.push_back(worst_table(shown.own, listed_worst));
  }
  if (!shown.published.empty()) {
    tables.push_back(section_table(shown.published, JudgedHow::as_it_stands));
    tables.back().title = "Published microbenchmarks of the same accelerator, predicted by " + shown.predicted_by;
  }
  if (shown.set) tables.push_back(report_table(*shown.set));
  return tables;
}

std::string as_text(const Shown& shown, std::string (*render)(const ResultTable&)) {
  std::string text;
  for (const ResultTable& table : tables_of(shown)) text += render(table) + "\n";
  return text;
}

JsonValue as_json(const Shown& shown) {
  JsonValue document = result_header("calibrate show", 0, shown.inputs);
  document.set("predicted_by", shown.predicted_by);
  document.set("own", section_json(shown.own));
  document.set("published", section_json(shown.published));
  document.set("parameters", shown.set ? encode_record(*shown.set) : JsonValue());
  return document;
}

std::string next_line(const Shown& shown) {
  if (shown.samples && !shown.set) return "Next: clusterwright calibrate fit SAMPLES -o parameters.json\n";
  if (shown.set && !shown.samples)
    return "Next: compare it with samples: clusterwright calibrate show PARAMETERS SAMPLES\n";
  return "";
}

std::string render_as(OutputFormat format, const Shown& shown) {
  switch (format) {
    case OutputFormat::json:
      return write_json(as_json(shown)) + "\n";
    case OutputFormat::csv:
      return render_csv(shown.own.empty() && shown.set ? report_table(*shown.set)
                                                       : section_table(shown.own, JudgedHow::as_it_stands));
    case OutputFormat::markdown:
      return "# Calibration\n\n" + as_text(shown, render_markdown);
    default:
      return as_text(shown, render_text) + section_plots(shown.own) + next_line(shown);
  }
}

}  // namespace

ExitCode calibrate_show(const CalibrateShowRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const Shown shown = read_all(request);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, shown); });
  return ExitCode::ok;
}

}  // namespace clusterwright
