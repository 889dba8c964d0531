// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/stopped_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/prediction/struck_ranks.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "tools/output/blast_tables.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_json.hpp"
#include "topology/routing/cut_off_nodes.hpp"

namespace clusterwright {

namespace {

/// Refuses what only a step has.
void check_options(const RunRequest& request, const std::string& reason) {
  const std::vector<std::pair<const char*, bool>> of_a_step = {{"--timeline", !request.timeline.empty()},
                                                               {"--heat", !request.heat.empty()},
                                                               {"--samples", !request.samples.empty()},
                                                               {"--beside", !request.beside.empty()},
                                                               {"--unfold", request.unfold},
                                                               {"--explain", request.explain},
                                                               {"--advise", request.advise},
                                                               {"--blast-radius", request.blast_radius}};
  for (const auto& [option, given] : of_a_step)
    if (given)
      throw ConfigError({Diagnostic{"E0339",
                                    fmt::format("{} changes nothing: there is no step, {}", option, reason),
                                    {option_place(option, "")},
                                    "",
                                    "leave it out, or leave out --fail"}});
}

/// The scenario before the failures.
Scenario healthy(Scenario s, std::size_t faults) {
  if (faults == 0) return s;
  std::vector<std::string>& all = s.cluster.spec.fabric.faults;
  all.resize(all.size() - faults);
  s.cluster = resized(s.cluster, s.cluster.spec.accelerators);
  return s;
}

/// The step that cannot run: its keys without numbers.
ScalePoint impossible_step(const StepPrediction& before, const FailureCost& cost) {
  ScalePoint point{before, 0, 0, 0, 0, stop_sentence(cost)};
  point.step.fits = false;
  return point;
}

JsonValue stopped_json(const ResultContext& context, const FailureCosts& blast) {
  JsonValue document = run_to_json(context, blast.before);
  const JsonValue nothing = point_to_json(impossible_step(blast.before, blast.costs.front()));
  for (const auto& [key, value] : nothing.members())
    if (document.find(key)) document.set(key, value);
  document.set("blast_radius", blast_json(blast));
  return document;
}

std::string title_of(const ScenarioSession& session, const StepPrediction& before) {
  return fmt::format("{} on {} x {} ({})", session.context.transformer, count_text(before.accelerators),
                     session.context.accelerator, session.context.cluster);
}

std::string render_stopped(OutputFormat format, const ScenarioSession& session, const FailureCosts& blast) {
  const std::string title = title_of(session, blast.before);
  const std::string sentence = stop_sentence(blast.costs.front());
  switch (format) {
    case OutputFormat::json:
      return write_json(stopped_json(session.context, blast)) + "\n";
    case OutputFormat::csv: {
      ScaleCurve curve;
      curve.points.push_back(impossible_step(blast.before, blast.costs.front()));
      return render_csv(flat_table(curve));
    }
    case OutputFormat::markdown:
      return fmt::format("# {}\n\n{}; {}\n\n{}", markdown_text(title), markdown_text(session.context.job),
                         markdown_text(sentence), render_markdown(blast_table(blast)));
    default:
      return fmt::format("{}\n{}\n{}. A step took {} s before.\n\n{}", printable(title), printable(session.context.job),
                         printable(sentence), significant_text(blast.before.step_time.in(second)),
                         render_text(blast_table(blast)));
  }
}

}  // namespace

ScenarioSession open_with_faults(const RunRequest& request) {
  ScenarioRequest of_network = request.scenario;
  of_network.faults = failure_of(request.scenario.faults).faults;
  return open_scenario(of_network, ScenarioReader::run);
}

std::optional<PartFailure> stopping_failure(const RunRequest& request, const ScenarioSession& session) {
  PartFailure failure = failure_of(request.scenario.faults);
  const Cluster& cluster = session.scenario.cluster;
  for (const std::string& device : failure.devices) lost_ranks(*parse_lost_device(device), cluster);
  if (!failure.devices.empty()) return failure;
  if (failure.faults.empty()) return {};
  const std::vector<NodeId> cut = cut_off_nodes(cluster.network());
  const bool stops = std::ranges::any_of(cut, [&](NodeId node) { return ranks_of_node(cluster, node) > 0; });
  return stops ? std::optional(std::move(failure)) : std::nullopt;
}

ExitCode run_stopped(const RunRequest& request, ScenarioSession session, const PartFailure& failure) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  check_options(request, fmt::format("{} stops the job", failure.name()));
  const Scenario before = healthy(session.scenario, failure.faults.size());
  const JobSite site(before, session.context.inputs);
  site.complete(session.context.scenario);
  const StepPrediction step = site.predict(before);
  const FailureCosts blast{step, before.job.sequence, {failure_cost(before, step, failure)}};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_stopped(format, session, blast); });
  return ExitCode::impossible;
}

}  // namespace clusterwright
