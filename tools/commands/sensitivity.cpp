// SPDX-License-Identifier: Apache-2.0
#include "models/comparison/compared_option.hpp"
#include "models/job/price_list.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/sensitivity_answer.hpp"
#include "tools/output/warnings.hpp"
#include "tools/standard_streams.hpp"

namespace clusterwright {

namespace {

std::string as_text(const SensitivityAnswer& answer, bool markdown) {
  const std::string title = sensitivity_title(answer);
  std::string text = markdown ? "# " + markdown_text(title) + "\n\n" + markdown_text(answer.context.job) + "\n"
                              : printable(title) + "\n" + printable(answer.context.job) + "\n";
  for (const ResultTable& table : {resource_table(answer), price_table(answer)})
    if (!table.rows.empty()) text += "\n" + (markdown ? render_markdown(table) : render_text(table));
  text += "\n";
  for (const std::string& sentence : sensitivity_sentences(answer))
    text += (markdown ? markdown_text(sentence) + "\n" : printable(sentence)) + "\n";
  const Warnings warnings = warnings_of(answer.context.warnings, answer.option.step->warnings);
  text += markdown ? warnings_markdown(warnings) : warnings_text(warnings);
  return text + (markdown ? "\n**Next:** " + markdown_text(answer.next) + "\n" : "\nNext: " + answer.next + "\n");
}

std::string render_as(OutputFormat format, const SensitivityAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(sensitivity_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(resource_table(answer));
    case OutputFormat::html:
      return sensitivity_page(answer);
    default:
      return as_text(answer, format == OutputFormat::markdown);
  }
}

}  // namespace

ExitCode sensitivity(const SensitivityRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  ScenarioSession session = open_scenario(request.scenario, ScenarioReader::size);
  session.context.command = "sensitivity";
  SensitivityAnswer answer{session.context,
                           compared_option("", session.scenario, false),
                           {},
                           {},
                           "clusterwright compare " + words_of(request.scenario) + " --vary cap=stated,90%"};
  if (!answer.option.runs()) {
    write_error(printable("the job " + answer.option.reason) + "\n");
    return ExitCode::impossible;
  }
  std::vector<InputFile> inputs;
  const JobSite site(session.scenario, inputs);
  const PriceList prices = load_prices(session.scenario.source, site.catalog(), inputs);
  answer.worths = resource_worths(answer.option, site, prices);
  if (answer.option.sized && answer.option.sized->cost.usd_per_million_tokens)
    answer.prices = price_sensitivities(answer.option, site.catalog(), prices);
  stop_if_interrupted();
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, answer); });
  print_warnings(warnings_of(session.context.warnings, answer.option.step->warnings), targets);
  return ExitCode::ok;
}

}  // namespace clusterwright
