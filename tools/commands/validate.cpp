// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/validation_page.hpp"
#include "tools/output/validation_report.hpp"
#include "tools/output/validation_tables.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

std::string as_text(const ValidationReport& report, const std::function<std::string(const ResultTable&)>& render) {
  std::string text;
  for (const ResultTable& table : validation_tables(report)) text += render(table) + "\n";
  return text + parameters_sentence(report) +
         (report.cross ? " Each case: --format csv\n" : " Errors on held-out rows: --cross. Each case: --format csv\n");
}

std::string render_as(OutputFormat format, const ValidationReport& report, const std::string& command_line) {
  switch (format) {
    case OutputFormat::json:
      return write_json(validation_json(report, result_header("validate", 0, report.inputs))) + "\n";
    case OutputFormat::csv:
      return render_csv(case_table(report));
    case OutputFormat::markdown:
      return "# Validation\n\n" + as_text(report, render_markdown);
    case OutputFormat::html:
      return validation_page(report, command_line);
    default:
      return as_text(report, render_text);
  }
}

/// A family without any prediction misses every limit.
bool misses(const ErrorFigures& family, double limit) {
  if (family.n == 0 || limit == INFINITY) return false;
  return family.coverage == 0 || family.median_abs_log > limit;
}

}  // namespace

ExitCode validate(const ValidateRequest& request) {
  if (request.designs) return validate_designs(request);
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  const double limit = request.max_error.empty() ? INFINITY : parse_share({"--max-error", request.max_error});
  const std::vector<std::filesystem::path> named(request.cases.begin(), request.cases.end());
  const ValidationReport report = validate_files(named.empty() ? shipped_cases() : named,
                                                 {request.cross, request.parameters, request.output.quiet});
  deliver(targets, request.output.quiet,
          [&](OutputFormat format) { return render_as(format, report, request.command_line); });
  if (report.interrupted) {
    write_error("interrupted: the cases that were finished are in the answer, the others are missing\n");
    return ExitCode::interrupted;
  }
  const auto& families = report.summary.families;
  return std::any_of(families.begin(), families.end(), [&](const auto& family) { return misses(family, limit); })
             ? ExitCode::differs
             : ExitCode::ok;
}

}  // namespace clusterwright
