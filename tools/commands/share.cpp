// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <sstream>

#include "models/plan/mixed_nodes.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/share_answer.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_jobs = 26;
constexpr std::size_t predictions_of_a_job = 33;  // nine points, four around the answer, two divisions, fewer nodes

void check_jobs(const ShareRequest& request) {
  const std::string given = std::to_string(request.scenarios.size());
  if (request.scenarios.size() < 2)
    throw option_error("SCENARIO", given, "one job has nobody to share with",
                       "name two or more, or give one job a limit: run --set cluster.facility.power.capping=equal "
                       "--set cluster.facility.power.grid_limit_kw=...");
  if (request.scenarios.size() > most_jobs)
    throw option_error("SCENARIO", given, fmt::format("at most {} jobs share a power", most_jobs), "leave some out");
  if (request.power.empty())
    throw option_error("--power", "", "share needs the power that the grid grants", "add --power, for example 2MW");
}

/// A weight for each job; 1 without any.
std::vector<double> weights_of(const ShareRequest& request) {
  if (request.weights.empty()) return std::vector<double>(request.scenarios.size(), 1.0);
  std::vector<double> out;
  std::istringstream parts(request.weights);
  for (std::string part; std::getline(parts, part, ',');) out.push_back(parse_amount({"--weights", part}));
  if (out.size() != request.scenarios.size())
    throw option_error("--weights", request.weights,
                       fmt::format("{} weights for {} jobs", out.size(), request.scenarios.size()),
                       "write one number for each job, in their order");
  return out;
}

/// Jobs in their halls.
struct OpenedJobs {
  std::vector<ScenarioSession> sessions;
  std::vector<JobSite> sites;
  std::vector<NamedJob> names;
};

OpenedJobs opened(const ShareRequest& request) {
  OpenedJobs out;
  for (const std::string& file : request.scenarios) {
    ScenarioRequest one = request.common;
    one.scenario = file;
    ScenarioSession session = open_scenario(one, ScenarioReader::size);
    refuse_several_kinds(session.scenario, "a division of power");
    out.sites.emplace_back(session.scenario, session.context.inputs);
    const std::string words = words_of(one);
    one.gpus.clear();
    out.names.push_back({file, words, words_of(one), session.context});
    out.sessions.push_back(std::move(session));
  }
  return out;
}

std::string as_text(const ShareAnswer& answer, bool markdown) {
  const std::string title = share_title(answer);
  const ResultTable table = share_table(answer);
  std::string text = markdown ? "# " + markdown_text(title) + "\n\n" + render_markdown(table)
                              : printable(title) + "\n\n" + render_text(table);
  text += "\n";
  for (const std::string& sentence : share_sentences(answer))
    text += (markdown ? markdown_text(sentence) : printable(sentence)) + "\n";
  const Warnings warnings = share_warnings(answer);
  text += markdown ? warnings_markdown(warnings) : warnings_text(warnings);
  const std::string next = share_confirmation(answer);
  return text + (markdown ? "\n**Next:** " + markdown_text(next) + "\n" : "\nNext: " + next + "\n");
}

std::string render_as(OutputFormat format, const ShareAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(share_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(share_table(answer));
    default:
      return as_text(answer, format == OutputFormat::markdown);
  }
}

}  // namespace

ExitCode share(const ShareRequest& request) {
  check_jobs(request);
  const Watts budget = parse_power({"--power", request.power});
  const std::vector<double> weights = weights_of(request);
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  OpenedJobs jobs = opened(request);
  std::vector<SharingJob> sharing;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sharing.push_back({jobs.sessions[i].scenario, jobs.sites[i], weights[i]});
  ProgressLine progress("predictions", predictions_of_a_job * weights.size(), request.output.quiet);
  std::atomic<std::size_t> done = 0;
  const ShareAnswer answer{jobs.names, budget, shared_power(sharing, budget, [&] {
                             stop_if_interrupted();
                             progress.finished(++done);
                           })};
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (const StepPrediction& step = answer.shared.divisions.front().jobs[i].held.step; !step.fits) {
      write_error(printable("the job " + answer.jobs[i].name + " " + step.verdict) + "\n");
      return ExitCode::impossible;
    }
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, answer); });
  print_warnings(share_warnings(answer), targets);
  return ExitCode::ok;
}

}  // namespace clusterwright
