// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include "models/job/job_blocks.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/search/layout_search.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/commands/search_constraints.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/search_json.hpp"
#include "tools/output/search_report.hpp"
#include "tools/output/warnings.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

double processor_time() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Dollars per hour of one accelerator. @throws ConfigError E0404 if no price list names one
double rent_per_hour(ScenarioSession& session) {
  const PriceList prices = load_prices(session.scenario.source, catalog_of(session.scenario), session.context.inputs);
  const auto* rent = prices.rent_of(session.scenario.cluster.accelerator.id);
  if (!rent)
    throw option_error("--objective", "cost",
                       fmt::format("no price list names the rent of a {}", session.scenario.cluster.accelerator.id),
                       "--set prices.rent_usd_per_accelerator_hour=2.5");
  return (rent->value * (3600 * second)).in(dollar);
}

SearchRequest request_of(const SearchCommandRequest& typed, SearchObjective objective,
                         const SearchConstraints& constraints) {
  SearchRequest request;
  request.sweep.objective = objective;
  request.sweep.most_layouts = parse_count({"--layouts", typed.layouts});
  request.most_replays = parse_count({"--replays", typed.replays});
  request.least_replays = std::min(request.most_replays, parse_count({"--top", typed.top}));
  request.refine = true;
  for (std::size_t field = 0; field < searched_field_count; ++field)
    request.each_value.push_back(static_cast<SearchedField>(field));
  request.accepts = [constraints](const StepSummary& step) { return constraints.accept(step); };
  request.stop = interrupted;
  return request;
}

/// The best plans as `run` predicts them.
void add_plans(const JobSite& site, const ScenarioSession& session, const LayoutSearch& search, std::size_t most,
               SearchAnswer& answer) {
  for (const FoundLayout& found : answer.result.found) {
    if (answer.plans.size() == most) break;
    const Scenario decided = search.scenario_of(found.candidate);
    SearchPlan plan{
        site.predict(decided), found.candidate.layout, settings_of(session.scenario, found.candidate.layout), 0, 0, {}};
    if (session.scenario.cluster.spec.accelerators != answer.gpus)
      plan.settings.insert(plan.settings.begin(), fmt::format("cluster.accelerators={}", answer.gpus));
    plan.behind = found.value / answer.result.found.front().value - 1;
    if (!answer.plans.empty())
      plan.paired_sigma =
          ratio_error(plan.step.uncertainty, answer.plans.front().step.uncertainty, session.scenario.steps).slower;
    if (answer.usd_per_hour)
      plan.usd_per_million_tokens =
          *answer.usd_per_hour * rented_accelerators(plan.step) / 3600 / plan.step.tokens_per_second * 1e6;
    answer.plans.push_back(std::move(plan));
  }
}

/// What the scenario itself states.
void add_own(const JobSite& site, const Scenario& sized, SearchAnswer& answer) {
  try {
    answer.own = site.predict(sized);
  } catch (const ConfigError& error) {
    answer.no_own = error.diagnostics().front().message;
  }
}

std::string title_of(const SearchAnswer& answer) {
  constexpr std::array<const char*, 3> goals = {"shortest step", "cheapest step", "least energy"};
  return fmt::format("{} on {} x {} ({}): layouts with the {}", answer.context.transformer, count_text(answer.gpus),
                     answer.context.accelerator, answer.context.cluster,
                     goals[static_cast<std::size_t>(answer.objective)]);
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

/// The command that confirms the best plan.
std::string run_command(const SearchCommandRequest& request, const SearchPlan& plan) {
  ScenarioRequest confirmed = request.scenario;
  if (!confirmed.on.empty()) confirmed.gpus = request.gpus;
  confirmed.settings.insert(confirmed.settings.end(), plan.settings.begin(), plan.settings.end());
  confirmed.settings = without_replaced(confirmed.settings);
  return "clusterwright run " + words_of(confirmed);
}

std::string as_text(const SearchCommandRequest& request, const SearchAnswer& answer) {
  std::string text = printable(title_of(answer)) + "\n" + printable(answer.context.job) + "\n";
  if (!answer.pins.empty()) text += "Pinned: " + printable(joined(answer.pins, ", ")) + "\n";
  if (!answer.constraints.empty()) text += "Limits: " + printable(joined(answer.constraints, ", ")) + "\n";
  text += "\n";
  if (!answer.plans.empty()) text += render_text(plans_table(answer)) + "\n";
  for (const std::string& sentence : search_sentences(answer)) text += printable(sentence) + "\n";
  if (!answer.plans.empty()) text += "\n" + render_text(choices_table(answer));
  text += warnings_text(answer.context.warnings);
  if (!answer.plans.empty()) text += "\nBest plan: " + printable(run_command(request, answer.plans.front())) + "\n";
  return text;
}

std::string as_markdown(const SearchCommandRequest& request, const SearchAnswer& answer) {
  std::string text = fmt::format("# {}\n\n{}\n\n", markdown_text(title_of(answer)), markdown_text(answer.context.job));
  if (!answer.plans.empty()) text += render_markdown(plans_table(answer)) + "\n";
  for (const std::string& sentence : search_sentences(answer)) text += markdown_text(sentence) + "\n";
  if (!answer.plans.empty()) text += "\n" + render_markdown(choices_table(answer));
  text += warnings_markdown(answer.context.warnings);
  if (!answer.plans.empty())
    text += "\n**Best plan:** " + markdown_text(run_command(request, answer.plans.front())) + "\n";
  return text;
}

std::string render_as(OutputFormat format, const SearchCommandRequest& request, const SearchAnswer& answer) {
  switch (format) {
    case OutputFormat::json:
      return write_json(search_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(plans_table(answer));
    case OutputFormat::markdown:
      return as_markdown(request, answer);
    default:
      return as_text(request, answer);
  }
}

ExitCode exit_of(const SearchAnswer& answer) {
  if (answer.result.interrupted) return ExitCode::interrupted;
  if (!answer.result.counts.complete) return ExitCode::resource_limit;
  return answer.plans.empty() ? ExitCode::impossible : ExitCode::ok;
}

/// Scenario on the wanted number of accelerators; replicas follow.
Scenario at_size(const Scenario& scenario, int gpus) {
  if (gpus == scenario.cluster.spec.accelerators) return scenario;
  Scenario sized = scenario;
  sized.cluster = cluster_of_size(scenario, gpus);
  sized.job.parallel.data.reset();
  return sized;
}

/// The contradiction where no layout is legal: that of the job as it stands, or of its limits.
void refuse_empty_space(const Scenario& sized, const SearchAnswer& answer) {
  if (answer.result.counts.evaluated > 0 || answer.result.interrupted) return;
  resolve_plan(sized);
  throw option_error("--constraint", answer.constraints.empty() ? "(none)" : joined(answer.constraints, " "),
                     fmt::format("no legal layout on {} accelerators satisfies all limits and pins", answer.gpus),
                     "degrees must multiply to the accelerators and divide heads, layers and the global batch");
}

}  // namespace

ExitCode search(const SearchCommandRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  SearchAnswer answer;
  answer.objective =
      static_cast<SearchObjective>(parse_choice("--objective", request.objective, {"time", "cost", "energy"}));
  SearchConstraints constraints;
  for (const std::string& typed : request.constraints) add_constraint(typed, constraints);
  const int wanted = request.gpus.empty() ? 0 : parse_count({"--gpus", request.gpus});
  const int top = parse_count({"--top", request.top}, 1000, "each plan is predicted in full");

  ScenarioRequest opened = request.scenario;
  if (!opened.on.empty()) opened.gpus = request.gpus;
  ScenarioSession session = open_scenario(opened, ScenarioReader::search);
  answer.gpus = wanted > 0 ? wanted : session.scenario.cluster.spec.accelerators;
  if (answer.objective == SearchObjective::cost) answer.usd_per_hour = rent_per_hour(session);
  const Scenario sized = at_size(session.scenario, answer.gpus);
  if (request.keep)
    narrow(constraints.limits, limits_of(sized)), answer.pins = {"all that the scenario states"};
  else
    answer.pins = pin_settings(sized, request.scenario.settings, constraints.limits);
  const JobSite site(session.scenario, session.context.inputs);
  site.complete(session.context.scenario);
  answer.stack = session.scenario.stack.name;
  answer.constraints = request.constraints;

  add_own(site, sized, answer);
  SearchRequest asked = request_of(request, answer.objective, constraints);
  if (answer.own && answer.own->fits) asked.known = {layout_of(answer.own->plan, sized.job.offload)};
  LayoutSearch search(sized, constraints.limits, asked);
  answer.result = search.run();
  refuse_empty_space(sized, answer);
  if (answer.result.counts.beyond_stack > 0)
    answer.beyond_field = search.ability().beyond(answer.result.counts.best_beyond.layout);
  add_plans(site, session, search, static_cast<std::size_t>(top), answer);
  answer.context = session.context;
  answer.cpu_s = processor_time();
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, request, answer); });
  print_warnings(answer.context.warnings, targets);
  return exit_of(answer);
}

}  // namespace clusterwright
