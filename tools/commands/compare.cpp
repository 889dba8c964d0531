// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include "models/search/layout.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_writer.hpp"
#include "sim/parallel_points.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/compare_options.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/error_codes.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/compare_answer.hpp"
#include "tools/output/compare_json.hpp"
#include "tools/output/compare_page.hpp"
#include "tools/output/compare_sentences.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t shown_fields = 12;

std::string command_of(const NamedRequest& option, const ComparedOption& answer, bool replan) {
  ScenarioRequest request = option.request;
  if (replan && answer.runs()) {
    const Scenario& scenario = *answer.scenario;
    for (const std::string& setting : settings_of(scenario, layout_of(answer.step->plan, scenario.job.offload)))
      request.settings.push_back(setting);
  }
  return sizing_command(request);
}

/// Scenario of an option, or the reason why there is none.
struct OpenedOption {
  std::optional<ScenarioSession> session;
  std::string reason;
};

/// Scenarios of all options, before the step of any is predicted: a word that means nothing is an error at once, not
/// after the work on the other options.
/// @throws ConfigError for such a word, that of the first option with one
std::vector<OpenedOption> opened_options(const std::vector<NamedRequest>& options) {
  std::vector<OpenedOption> opened(options.size());
  std::vector<std::size_t> order(options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for_each_point(order, [&](std::size_t i) {
    stop_if_interrupted();
    try {
      opened[i].session = open_scenario(options[i].request, ScenarioReader::size);
    } catch (const ConfigError& error) {
      if (is_of_words(error)) throw;
      opened[i].reason = error.diagnostics().front().message;
    }
  });
  return opened;
}

/// One option; what cannot be is its reason. @throws ConfigError for words that mean nothing
CompareLine line_of(const NamedRequest& option, OpenedOption opened, bool replan) {
  CompareLine line;
  line.option.name = option.name;
  line.option.reason = std::move(opened.reason);
  if (opened.session) {
    line.context = std::move(opened.session->context);
    try {
      line.option = compared_option(option.name, opened.session->scenario, replan);
    } catch (const ConfigError& error) {
      if (is_of_words(error)) throw;
      line.option.reason = error.diagnostics().front().message;
    }
  }
  line.command = command_of(option, line.option, replan);
  return line;
}

std::vector<CompareLine> lines_of(const CompareRequest& request, const std::vector<NamedRequest>& options) {
  std::vector<OpenedOption> opened = opened_options(options);
  std::vector<CompareLine> lines(options.size());
  ProgressLine progress("options", options.size(), request.output.quiet);
  std::mutex counting;
  std::size_t done = 0;
  for_each_point(last_first(options.size()), [&](std::size_t i) {
    if (interrupted()) return;
    lines[i] = line_of(options[i], std::move(opened[i]), request.replan);
    const std::lock_guard lock(counting);
    progress.finished(++done);
  });
  stop_if_interrupted();
  return lines;
}

/// Model, and what is varied.
std::string title_of(const CompareRequest& request, const CompareAnswer& answer) {
  const auto known = std::ranges::find_if(answer.lines, [](const CompareLine& line) { return line.option.runs(); });
  const std::string subject = known == answer.lines.end() || request.scenarios.size() > 1
                                  ? fmt::format("{} options", answer.lines.size())
                                  : known->context.transformer;
  std::string varied;
  for (const std::string& text : request.vary)
    varied += (varied.empty() ? ": " : ", ") + text.substr(0, text.find('=')) + " varied";
  return subject + varied;
}

std::string as_text(const CompareRequest& request, const CompareAnswer& answer, bool markdown) {
  const std::string title = title_of(request, answer);
  std::string text = markdown ? fmt::format("# {}\n", markdown_text(title)) : printable(title) + "\n";
  const auto add = [&](const ResultTable& table) {
    if (!table.rows.empty()) text += "\n" + (markdown ? render_markdown(table) : render_text(table));
  };
  for (const ResultTable& table : {compared_times(answer), compared_money(answer), moved_terms(answer)}) add(table);
  if (request.scenarios.size() > 1) {
    std::vector<std::string> letters;
    for (std::size_t i = 0; i < answer.lines.size(); ++i) letters.push_back(letter_of(i));
    const std::vector<FieldDifference> fields = field_differences(answer);
    add(differences_table(fields, letters, shown_fields));
    if (fields.size() > shown_fields)
      text += fmt::format("{} more fields differ: --format json\n", fields.size() - shown_fields);
  }
  text += "\n";
  for (const std::string& sentence : compare_sentences(answer))
    text += (markdown ? markdown_text(sentence) + "\n" : printable(sentence)) + "\n";
  const Warnings warnings = compare_warnings(answer);
  text += markdown ? warnings_markdown(warnings) : warnings_text(warnings);
  if (const std::string next = next_of(answer); !next.empty())
    text += markdown ? "\n**Next:** " + markdown_text(next) + "\n" : "\nNext: " + next + "\n";
  return text;
}

std::string render_as(OutputFormat format, const CompareRequest& request, const CompareAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(compare_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(compared_flat(answer));
    case OutputFormat::html:
      return compare_page(answer, title_of(request, answer), request.common.command_line);
    default:
      return as_text(request, answer, format == OutputFormat::markdown);
  }
}

}  // namespace

ExitCode compare(const CompareRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  const std::vector<NamedRequest> options = options_of(request);
  CompareAnswer answer{{}, request.replan};
  answer.lines = lines_of(request, options);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, request, answer); });
  print_warnings(compare_warnings(answer), targets);
  if (!reference_of(answer)) return ExitCode::impossible;
  return request.exit_code && differs(answer) ? ExitCode::differs : ExitCode::ok;
}

}  // namespace clusterwright
