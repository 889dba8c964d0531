// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "calibration/fit/sample_fit.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"
#include "tools/calibration/sample_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/calibration_tables.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t shown_worst = 8;

std::string own_file(const SampleSession& session) {
  return file_name_of(session.part) + "-own.json";
}

std::string next_line(const SampleSession& session, const CalibrateFitRequest& request) {
  const bool written = !request.output.files.empty();
  const std::string file = written ? request.output.files.front() : own_file(session);
  if (!written) return fmt::format("Next: write the parameters with -o {}\n", file);
  if (session.part.id == "host") return fmt::format("Next: clusterwright calibrate show {}\n", file);
  return fmt::format("Next: clusterwright run SCENARIO --parameters {}\n", file);
}

std::string report_text(const SampleSession& session, const SampleFit& fit, std::string (*render)(const ResultTable&)) {
  std::string text;
  for (const ResultTable& table : {section_table(fit.sections, JudgedHow::held_back),
                                   worst_table(fit.sections, shown_worst), value_table(fit.parameters, session.base)})
    if (!table.rows.empty()) text += render(table) + "\n";
  return text;
}

std::string as_text(const SampleSession& session, const SampleFit& fit) {
  std::string text = printable(origin_of(session)) + ", on " + printable(session.base.name) + "\n\n";
  text += report_text(session, fit, render_text) + section_plots(fit.sections);
  if (fit.sections.empty()) text += "These samples belong to no section that can be fitted.\n";
  for (const std::string& one : session.left_out) text += "Not used: " + printable(one) + "\n";
  return text;
}

std::string render_as(OutputFormat format, const SampleSession& session, const SampleFit& fit) {
  switch (format) {
    case OutputFormat::json:
      return write_json(encode_record(fit.parameters)) + "\n";
    case OutputFormat::csv:
      return render_csv(section_table(fit.sections, JudgedHow::held_back));
    case OutputFormat::markdown:
      return "# Fit of " + markdown_text(origin_of(session)) + "\n\n" + report_text(session, fit, render_markdown);
    default:
      return as_text(session, fit);
  }
}

/// Whether standard output is among the targets; a parameter file alone leaves the terminal free for the report.
bool shows_something(const std::vector<OutputTarget>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const OutputTarget& target) { return target.path == "-"; });
}

void refuse(const SampleFit& fit, const SampleSession& session) {
  write_file("-", as_text(session, fit));
  const auto poor = std::find_if(fit.sections.begin(), fit.sections.end(),
                                 [](const SectionFit& one) { return one.state == SectionState::poor; });
  write_error(fmt::format(
      "error: {} has a median error of {:.0f} % on held-out samples; the limit is {:.0f} %; nothing was written\n"
      "   = help: take the worst samples above again on an idle machine, or keep the prior of such sections with "
      "--keep-poor\n",
      poor->name, 100 * poor->reports.front().held_out_median_abs_log, 100 * poor->limit));
}

}  // namespace

ExitCode calibrate_fit(const CalibrateFitRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const std::int64_t threads = request.host_threads.empty() ? 0 : parse_count({"--host-threads", request.host_threads});
  const SampleSession session = open_samples({request.files, request.accelerator, request.base, threads});
  const std::string name = request.name.empty() ? file_name_of(session.part) + "-own" : request.name;
  const SampleFit fit = fit_samples(session.samples, session.part, session.base,
                                    {name, origin_of(session), links_of(request.cluster, session)});
  if (fit.any(SectionState::poor) && !request.keep_poor) {
    refuse(fit, session);
    return ExitCode::impossible;
  }
  if (!fit.any(SectionState::fitted)) {
    write_file("-", as_text(session, fit));
    throw ConfigError({"E0341", "no section could be fitted", {}, "", "take more samples: --suite full"});
  }
  if (!shows_something(targets) && !request.output.quiet) write_file("-", as_text(session, fit));
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, session, fit); });
  if (!request.output.quiet) write_error(next_line(session, request));
  return ExitCode::ok;
}

}  // namespace clusterwright
