// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/job/configs_directory.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/step_sensitivity.hpp"
#include "models/search/field_values.hpp"
#include "models/search/layout.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/sizing/look_around.hpp"
#include "sim/json_writer.hpp"
#include "sim/plain_number.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/run_pictures.hpp"
#include "tools/commands/run_what_ifs.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/commands/stopped_job.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/node_kinds_table.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_report.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"

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
  if (step.mixed) tables.push_back(node_kinds_table(*step.mixed, step.step_time));
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

/// What was decided of the sharding, the recomputation and the order of ranks, where the job leaves them open.
std::string decided_words(const Scenario& given, const Plan& plan) {
  const Job& job = given.job;
  const Layout layout = layout_of(plan, job.offload);
  std::string text;
  if (!job.sharding) text += ", " + value_text(SearchedField::sharding, layout);
  if (!job.recompute) text += ", recompute " + value_text(SearchedField::recompute, layout);
  if (plan.pipeline > 1 && plan.data > 1 && plan.rank_order != usual_order(given))
    text += ", order " + value_text(SearchedField::order, layout);
  return text;
}

std::string plan_sentence(const Scenario& given, const Plan& plan) {
  std::string text = fmt::format("TP {} x PP {} x DP {}", plan.tensor, plan.pipeline, plan.data);
  if (plan.context > 1) text += fmt::format(", context {}", plan.context);
  if (plan.expert > 1) text += fmt::format(", experts over {}", plan.expert);
  if (plan.expert > 1 && plan.expert_tensor > 1) text += fmt::format(" x {}", plan.expert_tensor);
  if (plan.virtual_pipeline > 1) text += fmt::format(", {} virtual stages", plan.virtual_pipeline);
  if (plan.schedule == PipelineSchedule::zero_bubble) text += ", zero-bubble";
  if (plan.schedule == PipelineSchedule::dualpipe) text += ", DualPipe";
  return text +
         fmt::format(", {} {} of {}", plan.micro_batches, plan.micro_batches == 1 ? "micro-batch" : "micro-batches",
                     plan.micro_batch) +
         decided_words(given, plan);
}

struct RunAnswer {
  const ScenarioSession& session;
  const StepPrediction& step;
  WhatIfs what_ifs;
};

std::string as_text(const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, what_ifs] = answer;
  std::string text = printable(title_of(session.context, step)) + "\n" + printable(session.context.job) + "\n" +
                     plan_sentence(session.scenario, step.plan) + "\n";
  for (const ResultTable& table : tables_of(session, step, request.explain)) text += "\n" + render_text(table);
  for (const auto& [table, sentence] : additions(what_ifs)) {
    if (table) text += "\n" + render_text(*table);
    if (!sentence.empty()) text += "\n" + sentence + "\n";
  }
  text += warnings_text(warnings_of(session.context.warnings, single_point(step)));
  text += "\nNext: " + printable(next_step(step)) + "\n";
  text += request.explain
              ? "Details: -o report.html for charts, --timeline trace.json for every op\n"
              : "Details: --advise to try other layouts, --explain for the origin of each number, -o report.html for "
                "charts\n";
  return text;
}

std::string as_markdown(const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, what_ifs] = answer;
  std::string text = fmt::format("# {}\n\n{}; {}\n", markdown_text(title_of(session.context, step)),
                                 markdown_text(session.context.job), plan_sentence(session.scenario, step.plan));
  for (const ResultTable& table : tables_of(session, step, request.explain)) text += "\n" + render_markdown(table);
  for (const auto& [table, sentence] : additions(what_ifs)) {
    if (table) text += "\n" + render_markdown(*table);
    if (!sentence.empty()) text += "\n" + markdown_text(sentence) + "\n";
  }
  text += warnings_markdown(warnings_of(session.context.warnings, single_point(step)));
  return text + fmt::format("\n**Next:** {}\n", markdown_text(next_step(step)));
}

JsonValue as_json(const RunAnswer& answer) {
  JsonValue document = run_to_json(answer.session.context, answer.step);
  add_to(document, answer.what_ifs);
  return document;
}

std::string render_as(OutputFormat format, const RunRequest& request, const RunAnswer& answer) {
  const auto& [session, step, what_ifs] = answer;
  switch (format) {
    case OutputFormat::json:
      return write_json(as_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(flat_table(single_point(step)));
    case OutputFormat::markdown:
      return as_markdown(request, answer);
    case OutputFormat::html:
      return html_report(session.context, single_point(step),
                         what_ifs.blast ? blast_table(*what_ifs.blast) : ResultTable{});
    default:
      return as_text(request, answer);
  }
}

/// A timeline has no jitter, which the predicted step has.
void note_timeline_end(const StepPrediction& step, std::vector<std::string>& warnings) {
  const Seconds jitter = step.breakdown[static_cast<std::size_t>(StepCharge::jitter)];
  if (jitter > Seconds())
    warnings.push_back(
        fmt::format("the timeline shows replicas that are equally fast: it ends after {} s, without {} s of jitter",
                    plain_number((step.step_time - jitter).in(second), 4), plain_number(jitter.in(second), 3)));
}

}  // namespace

ExitCode run(const RunRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  ScenarioSession session = open_with_faults(request);
  if (const auto failure = stopping_failure(request, session)) return run_stopped(request, session, *failure);
  const WhatIfQuestions questions(request, session);
  check_heat(request, session.scenario.cluster);
  const JobSite site(session.scenario, session.context.inputs);
  site.complete(session.context.scenario);
  StepPrediction step = site.predict(session.scenario);
  if (request.advise && !look_around(site, session.scenario, step))
    session.context.warnings.emplace_back(
        "--advise tried nothing: the job does not fit, or its layout cannot be searched (nodes of several kinds, "
        "layers or power limits of single stages)");
  session.context.memory_capacity = step.memory_capacity;
  if (!request.timeline.empty()) note_timeline_end(step, session.context.warnings);
  stop_if_interrupted();
  const RunAnswer answer{session, step, questions.answer(step)};
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, request, answer); });
  print_warnings(warnings_of(session.context.warnings, single_point(step)), targets);
  if (!request.timeline.empty()) write_timeline(request.timeline, session.scenario, step);
  if (!request.heat.empty()) write_heat(request.heat, session, step);
  return step.fits ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
