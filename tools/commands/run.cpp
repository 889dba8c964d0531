// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/job/configs_directory.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/lowering/step_traffic.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/bottleneck.hpp"
#include "models/prediction/folding_check.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "sim/timeline.hpp"
#include "sim/unfold.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/commands/stopped_job.hpp"
#include "tools/config_kinds.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/beside_tables.hpp"
#include "tools/output/blast_tables.hpp"
#include "tools/output/chrome_trace.hpp"
#include "tools/output/heat_page.hpp"
#include "tools/output/link_heat.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/parameter_difference.hpp"
#include "tools/output/prediction_report.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/sample_tables.hpp"
#include "tools/output/step_trace.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

ResultTable origins_table(const Scenario& scenario) {
  ResultTable table{"Origin of each value of the scenario",
                    {{"path", "Field", "", 1, -1, Alignment::left},
                     {"value", "Value", "", 1, -1, Alignment::left},
                     {"origin", "Origin", "", 1, -1, Alignment::left}},
                    {}};
  std::vector<InputFile> read;  // those of the prediction's site
  for (const Origin& o : JobSite(scenario, read).origins(scenario)) table.rows.push_back({o.path, o.value, o.origin});
  return table;
}

ResultTable sensitivity_table(const Scenario& scenario, const StepPrediction& step) {
  ResultTable table{"Change of the step time with 10 % more of one resource",
                    {{"resource", "Resource", "", 1, -1, Alignment::left},
                     {"step_change", "Step time", "%", 100, 2, Alignment::right}},
                    {}};
  for (const StepSensitivity& s : step_sensitivities(scenario, step)) table.rows.push_back({s.resource, s.step_change});
  return table;
}

/// The tables of one step, in the order in which they are read.
std::vector<ResultTable> tables_of(const ScenarioSession& session, const StepPrediction& step, bool explain_origins) {
  std::vector<ResultTable> tables = {headline_table(step, session.context.memory_capacity), breakdown_table(step),
                                     memory_table(step, session.context.memory_capacity)};
  if (step.training) tables.insert(tables.begin() + 1, training_run_table(step));
  if (!step.tiers.empty()) tables.push_back(tier_table(step));
  if (explain_origins) {
    tables.push_back(sensitivity_table(session.scenario, step));
    tables.push_back(assumptions_table(step.assumptions));
    tables.push_back(origins_table(session.scenario));
  }
  return tables;
}

std::string title_of(const ResultContext& context, const StepPrediction& step) {
  return fmt::format("{} on {} x {} ({})", context.transformer, count_text(step.accelerators), context.accelerator,
                     context.cluster);
}

std::string plan_sentence(const Plan& plan) {
  std::string text = fmt::format("TP {} x PP {} x DP {}", plan.tensor, plan.pipeline, plan.data);
  if (plan.context > 1) text += fmt::format(", context {}", plan.context);
  if (plan.expert > 1) text += fmt::format(", experts over {}", plan.expert);
  if (plan.expert > 1 && plan.expert_tensor > 1) text += fmt::format(" x {}", plan.expert_tensor);
  if (plan.virtual_pipeline > 1) text += fmt::format(", {} virtual stages", plan.virtual_pipeline);
  if (plan.schedule == PipelineSchedule::zero_bubble) text += ", zero-bubble";
  if (plan.schedule == PipelineSchedule::dualpipe) text += ", DualPipe";
  return text + fmt::format(", {} {} of {}", plan.micro_batches,
                            plan.micro_batches == 1 ? "micro-batch" : "micro-batches", plan.micro_batch);
}

/// A step, and what a named parameter file does to it.
struct RunAnswer {
  const ScenarioSession& session;
  const StepPrediction& step;
  std::optional<AgainstUsual> against;
  std::optional<UnfoldedCheck> unfolded;
  std::optional<SampledSteps> samples;
  std::optional<BesideAnswer> beside;
  std::optional<FailureCosts> blast;
};

std::string sentence_of(const UnfoldedCheck& check) {
  const auto count = [](double number) { return count_text(static_cast<std::int64_t>(number)); };
  const std::string what =
      fmt::format("Unfolded: {} accelerators, each for itself ({} ops, {} events), take {:.6f} s",
                  count_text(check.ranks), count(check.ops), count(check.events), to_seconds(check.end).in(second));
  if (check.same()) return what + ", as the folded step does to the picosecond.";
  const double off = to_seconds(check.end) / to_seconds(check.folded_end) - 1;
  if (check.approximate)
    return what +
           fmt::format(", {:+.3f} % off the folded step, whose classes run at the pace of their slowest members.",
                       100 * off);
  return what + fmt::format(", {} ps off the folded step: please report this.", (check.end - check.folded_end).count);
}

JsonValue json_of(const std::optional<UnfoldedCheck>& check) {
  if (!check) return {};
  return JsonValue::object({{"accelerators", JsonValue(std::int64_t{check->ranks})},
                            {"ops", JsonValue(static_cast<std::int64_t>(check->ops))},
                            {"events", JsonValue(static_cast<std::int64_t>(check->events))},
                            {"step_time_s", JsonValue(to_seconds(check->end).in(second))},
                            {"same_to_the_picosecond", JsonValue(check->same())}});
}

std::optional<UnfoldedCheck> unfold_if_asked(const RunRequest& request, const Scenario& scenario, const Plan& plan) {
  if (!request.unfold) return {};
  check_unfolded(step_size(scenario, plan), machine_memory());
  return check_folding(scenario, plan);
}

/// Number of seeds to draw; 0: none. Refuses draws that change nothing, before the step is predicted.
int samples_asked(const RunRequest& request, const ScenarioSession& session) {
  if (request.samples.empty()) return 0;
  constexpr int most = 100'000;
  const int count = parse_count({"--samples", request.samples}, most, "more draws than a run should take");
  if (!draws_anything(session.before_draws, session.slow))
    throw ConfigError(
        {Diagnostic{"E0339",
                    "--samples changes nothing: no flow is hashed, no node is shuffled, no slow device is "
                    "drawn",
                    {option_place("--samples", request.samples)},
                    "",
                    "add --set cluster.fabric.routing=hash, --placement shuffled or --slow node:5%"}});
  return count;
}

std::optional<SampledSteps> sample_if_asked(int count, const ScenarioSession& session, const Plan& plan) {
  if (count == 0) return {};
  return sample_steps(session.before_draws, session.slow, plan, session.seed, count);
}

/// The other job of --beside, on the machine of both.
std::optional<Scenario> share_if_asked(const RunRequest& request, ScenarioSession& session) {
  if (request.beside.empty()) return {};
  const Place place = option_place("--beside", request.beside);
  if (!request.samples.empty() || request.blast_radius)
    throw ConfigError({"E0339",
                       fmt::format("{} a job alone, --beside has another one on its machine",
                                   request.blast_radius ? "--blast-radius is of" : "--samples draws for"),
                       {place},
                       "",
                       "ask for one of them"});
  const std::filesystem::path file = named_file(request.beside, {"scenarios"});
  require_kind(file, ConfigKind::scenario, "run --beside");
  Scenario other = load_scenario(file, {});
  share_machine(session.scenario, other);
  session.context.inputs.insert(session.context.inputs.end(), other.inputs.begin(), other.inputs.end());
  return other;
}

std::optional<BesideAnswer> replay_if_asked(const RunRequest& request, const Scenario& own, const Plan& plan,
                                            const std::optional<Scenario>& other) {
  if (!other) return {};
  const ChosenPlan theirs = decide_plan(*other, OpenFields::best).chosen;
  return BesideAnswer{std::filesystem::path(request.beside).stem().string(),
                      replay_beside(own, plan, theirs.scenario, theirs.plan)};
}

std::optional<FailureCosts> blast_if_asked(const RunRequest& request, const Scenario& scenario,
                                           const StepPrediction& step) {
  if (!request.blast_radius) return {};
  return FailureCosts{step, scenario.job.sequence, blast_radius(scenario, step)};
}

std::string as_text(const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, against, unfolded, samples, beside, blast] = answer;
  std::string text = printable(title_of(session.context, step)) + "\n" + printable(session.context.job) + "\n" +
                     plan_sentence(step.plan) + "\n";
  for (const ResultTable& table : tables_of(session, step, request.explain)) text += "\n" + render_text(table);
  if (samples) text += "\n" + render_text(samples_table(*samples));
  if (beside) text += "\n" + render_text(beside_table(*beside)) + "\n" + beside_sentence(*beside) + "\n";
  if (blast) text += "\n" + render_text(blast_table(*blast));
  if (against) text += "\n" + sentence_of(*against) + "\n";
  if (unfolded) text += "\n" + sentence_of(*unfolded) + "\n";
  text += warnings_text(warnings_of(session.context.warnings, single_point(step)));
  text += "\nNext: " + printable(next_step(step)) + "\n";
  text += request.explain ? "Details: -o report.html for charts, --timeline trace.json for every op\n"
                          : "Details: --explain for the origin of each number, -o report.html for charts\n";
  return text;
}

std::string as_markdown(const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, against, unfolded, samples, beside, blast] = answer;
  std::string text = fmt::format("# {}\n\n{}; {}\n", markdown_text(title_of(session.context, step)),
                                 markdown_text(session.context.job), plan_sentence(step.plan));
  for (const ResultTable& table : tables_of(session, step, request.explain)) text += "\n" + render_markdown(table);
  if (samples) text += "\n" + render_markdown(samples_table(*samples));
  if (beside)
    text += "\n" + render_markdown(beside_table(*beside)) + "\n" + markdown_text(beside_sentence(*beside)) + "\n";
  if (blast) text += "\n" + render_markdown(blast_table(*blast));
  if (against) text += "\n" + markdown_text(sentence_of(*against)) + "\n";
  if (unfolded) text += "\n" + markdown_text(sentence_of(*unfolded)) + "\n";
  text += warnings_markdown(warnings_of(session.context.warnings, single_point(step)));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(next_step(step)));
}

JsonValue as_json(const RunAnswer& answer) {
  JsonValue document = run_to_json(answer.session.context, answer.step);
  document.set("against_usual", json_of(answer.against));
  document.set("unfolded", json_of(answer.unfolded));
  document.set("samples", samples_json(answer.samples));
  document.set("beside", beside_json(answer.beside));
  document.set("blast_radius", blast_json(answer.blast));
  return document;
}

std::string render_as(OutputFormat format, const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, against, unfolded, samples, beside, blast] = answer;
  switch (format) {
    case OutputFormat::json:
      return write_json(as_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(flat_table(single_point(step)));
    case OutputFormat::markdown:
      return as_markdown(request, answer);
    case OutputFormat::html:
      return html_report(session.context, single_point(step), blast ? blast_table(*blast) : ResultTable{});
    default:
      return as_text(request, answer);
  }
}

/// A step and its heat.
struct HeatedTraffic {
  HeatedTraffic(const Scenario& scenario, const StepPrediction& step, const LoweredStep& lowered)
      : traffic(scenario, lowered),
        heat(scenario.cluster, traffic.bytes(lowered.structure(), lowered.timing()), step.step_time) {}

  StepTraffic traffic;
  LinkHeat heat;
};

void write_timeline(const std::string& file, const Scenario& scenario, const StepPrediction& step) {
  check_timeline(step_size(scenario, step.plan));
  const StepSimulation simulated = simulate_step(scenario, step.plan);
  const StepTiming& timing = simulated.graph.timing;
  const UnfoldedStep flat = unfold(simulated.graph.structure, timing, simulated.result);
  const LoweredStep lowered(scenario, step.plan, Folding::folded);
  TraceExtras extras{meeting_names(lowered, flat, timing), {}};
  if (scenario.cluster.has_network()) {
    const HeatedTraffic heated(scenario, step, lowered);
    extras.counters = link_counters(heated.heat, heated.traffic, flat, timing);
  }
  write_file(file, chrome_trace(flat.structure, make_timeline(flat.structure, flat.result), extras));
}

const std::vector<OutputFormat> heat_formats = {OutputFormat::csv, OutputFormat::html, OutputFormat::dot};

/// Refuses a heat map that cannot be, before the step is predicted.
void check_heat(const RunRequest& request, const Cluster& cluster) {
  if (request.heat.empty()) return;
  format_of_file("--heat", request.heat, heat_formats);
  if (!cluster.has_network())
    throw ConfigError({"E0339",
                       "--heat has no links to show: the cluster has no network: it is one node or one scale-up domain",
                       {option_place("--heat", request.heat)},
                       "",
                       "leave it out"});
}

void write_heat(const std::string& file, const ScenarioSession& session, const StepPrediction& step) {
  const LoweredStep lowered(session.scenario, step.plan, Folding::folded);
  const LinkHeat heat = HeatedTraffic(session.scenario, step, lowered).heat;
  switch (format_of_file("--heat", file, heat_formats)) {
    case OutputFormat::html:
      return write_file(file, heat_page(session.context, step, heat));
    case OutputFormat::dot:
      return write_file(file, heat_graphviz(heat));
    default:
      return write_file(file, heat_csv(heat));
  }
}

}  // namespace

ExitCode run(const RunRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  ScenarioSession session = open_with_faults(request);
  if (const auto failure = stopping_failure(request, session)) return run_stopped(request, session, *failure);
  const std::optional<Scenario> other = share_if_asked(request, session);
  check_heat(request, session.scenario.cluster);
  const int samples = samples_asked(request, session);
  const JobSite site(session.scenario, session.context.inputs);
  site.complete(session.context.scenario);
  const StepPrediction step = site.predict(session.scenario);
  stop_if_interrupted();
  const bool named = !request.scenario.parameters.empty();
  const RunAnswer answer{session,
                         step,
                         against_usual(session.scenario, named, step.step_time),
                         unfold_if_asked(request, session.scenario, step.plan),
                         sample_if_asked(samples, session, step.plan),
                         replay_if_asked(request, session.scenario, step.plan, other),
                         blast_if_asked(request, session.scenario, step)};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, request, answer); });
  print_warnings(warnings_of(session.context.warnings, single_point(step)), targets);
  if (!request.timeline.empty()) write_timeline(request.timeline, session.scenario, step);
  if (!request.heat.empty()) write_heat(request.heat, session, step);
  return step.fits ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
