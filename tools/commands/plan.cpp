// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/job/job.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/training_run.hpp"
#include "models/procurement/purchase_search.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/json_writer.hpp"
#include "sim/plain_number.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/compare_options.hpp"
#include "tools/commands/plan_checks.hpp"
#include "tools/commands/price_settings.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/config_kinds.hpp"
#include "tools/error_codes.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/plan_answer.hpp"
#include "tools/output/plan_page.hpp"
#include "tools/output/plan_sentences.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr double asked_tokens = 1e12;   // of the run that is timed where the tokens are asked for
constexpr std::size_t shown_rows = 16;  // in terminals; files hold all

Seconds parse_days(const std::string& text) {
  const bool bare =
      !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return parse_duration({"--days", bare ? text + "d" : text});
}

double parse_chance(const std::string& text) {
  const double share = parse_percentage({"--chance", text});
  if (share < 0.01 || share > 0.99)
    throw option_error("--chance", text, "a chance is at least 1 % and at most 99 %", "--chance 80%");
  return share;
}

PurchaseLimits limits_of(const PlanRequest& request) {
  PurchaseLimits limits;
  limits.chance = parse_chance(request.chance);
  if (!request.days.empty()) limits.time = parse_days(request.days);
  if (!request.budget.empty()) limits.money = parse_amount({"--budget", request.budget}) * dollar;
  if (!request.power.empty()) limits.power = parse_power({"--power", request.power});
  if (!request.racks.empty()) limits.racks = parse_count({"--racks", request.racks});
  return limits;
}

/// Whether anything of a part that is bought has a price.
bool has_price(const NodePart& node, const Catalog& catalog, const PriceList& prices) {
  return price_of(node.id, catalog, prices).each.has_value();
}

/// One node for each priced accelerator, or the named ones.
std::vector<const NodePart*> nodes_of(const PlanRequest& request, const Catalog& catalog, const PriceList& prices) {
  std::vector<const NodePart*> nodes;
  for (const std::string& name : parse_words(request.scenario.on)) nodes.push_back(&named_node(name, catalog));
  if (!nodes.empty()) return nodes;
  for (const AcceleratorPart& part : catalog.accelerators)
    if (const NodePart* node = sold_node(part.id, catalog); node && has_price(*node, catalog, prices))
      nodes.push_back(node);
  return nodes;
}

/// Formats of --precisions. One that no job knows is refused here, as of a machine it would be a reason.
std::vector<std::string> named_precisions(const std::string& text) {
  const auto& names = EnumNames<Precision>::names;
  std::vector<std::string> words = parse_words(text);
  for (const std::string& word : words) parse_choice("--precisions", word, {names.begin(), names.end()});
  return words;
}

/// Formats that a part has: those that were asked for, else both usual ones.
std::vector<std::string> precisions_of(const PlanRequest& request, const AcceleratorPart& part) {
  const bool pinned = std::ranges::any_of(
      request.scenario.settings, [](const std::string& setting) { return setting.starts_with("job.precision="); });
  if (pinned) return {""};
  if (!request.precisions.empty()) return named_precisions(request.precisions);
  std::vector<std::string> out = {"bf16"};
  if (peak(part, NumberFormat::fp8) > peak(part, NumberFormat::bf16)) out.push_back("fp8");
  return out;
}

/// Machine that --vary changes, once for each combination of its values.
std::vector<MachineChoice> variants_of(const PlanRequest& request) {
  const NamedRequest base{"", request.scenario};
  std::vector<MachineChoice> out;
  for (const auto& [name, varied] : varied_requests(base, request.vary, true)) {
    MachineChoice machine;
    machine.variant = name;
    const auto own = static_cast<std::ptrdiff_t>(request.scenario.settings.size());
    machine.settings.assign(varied.settings.begin() + own, varied.settings.end());
    if (!varied.cap.empty()) machine.settings.push_back(cap_setting(varied.cap));
    const bool other = varied.on != base.request.on || !varied.gpus.empty() || !varied.placement.empty() ||
                       !varied.parameters.empty() || !varied.faults.empty() || !varied.slow.empty();
    const bool format = std::ranges::any_of(
        machine.settings, [](const std::string& setting) { return setting.starts_with("job.precision="); });
    if (other || format)
      throw option_error("--vary", name, "plan chooses this by an option of its own, or not at all",
                         "--on, --gpus and --precisions choose; vary cap, taper, hall, stack or a path of --set");
    out.push_back(std::move(machine));
  }
  return out;
}

std::vector<MachineChoice> machines_of(const PlanRequest& request, const Catalog& catalog, const PriceList& prices) {
  std::vector<MachineChoice> out;
  const std::vector<MachineChoice> variants = variants_of(request);
  const std::vector<double> caps = parse_caps({"--caps", request.caps.empty() ? "100" : request.caps});
  for (const NodePart* node : nodes_of(request, catalog, prices)) {
    const AcceleratorPart* part = catalog.find_accelerator(node->accelerator_id);
    if (!part) continue;
    for (const std::string& precision : precisions_of(request, *part))
      for (const double cap : caps)
        for (MachineChoice machine : variants) {
          machine.node = node->id;
          machine.accelerator = part->id;
          machine.precision = precision;
          machine.cap = cap;
          out.push_back(std::move(machine));
        }
  }
  return out;
}

/// Scenario of a file, or usual pretraining of a model; with the tokens of the question.
JsonValue document_of(const PlanRequest& request, double tokens, std::vector<InputFile>& inputs) {
  const std::filesystem::path file = named_file(request.scenario.scenario, {"scenarios", "transformers"});
  JsonValue document =
      is_of_kind(file, ConfigKind::transformer) ? pretraining_of(file, tokens) : read_input(file, inputs);
  if (!document.find("transformer")) require_kind(file, ConfigKind::scenario, "plan");
  return document;
}

/// Targets of the search: where tokens are asked for, days only turn time into tokens.
PurchaseLimits searched_limits(PurchaseLimits limits, bool tokens_known) {
  if (!tokens_known) limits.time.reset();
  return limits;
}

std::string confirm_command(const PlanRequest& request, const PlanAnswer& answer, const PurchasePlan& plan) {
  ScenarioRequest confirmed = request.scenario;
  confirmed.on = plan.machine.node;
  confirmed.gpus = std::to_string(plan.accelerators);
  if (!request.hall.empty()) confirmed.settings.push_back(setting_of_hall(request.hall));
  confirmed.settings.push_back("job.tokens=" + plain_number(purchase_tokens(answer, plan), 15));
  const std::vector<std::string>& variant = plan.machine.settings;
  confirmed.settings.insert(confirmed.settings.end(), variant.begin(), variant.end());
  if (!plan.machine.precision.empty()) confirmed.settings.push_back("job.precision=" + plan.machine.precision);
  confirmed.settings.insert(confirmed.settings.end(), plan.settings.begin(), plan.settings.end());
  confirmed.settings = without_replaced(confirmed.settings);
  if (plan.machine.cap < 1) confirmed.cap = plain_number(100 * plan.machine.cap, 6) + "%";
  return sizing_command(confirmed);
}

/// Whether plans stand in the order of their time: the most tokens in the days, or the least time, comes first.
bool is_fastest_first(const PlanAnswer& answer) {
  return !answer.tokens || (answer.objective == PurchaseObjective::time && !answer.limits.time);
}

std::string as_text(const PlanAnswer& answer, bool markdown) {
  const std::string title = fmt::format("{}: {}", answer.model, question_text(answer));
  std::string text = markdown ? fmt::format("# {}\n\n{}\n\n", markdown_text(title), markdown_text(answer.job))
                              : printable(title) + "\n" + printable(answer.job) + "\n\n";
  const ResultTable table = purchase_table(answer, markdown ? 0 : shown_rows);
  if (!table.rows.empty()) text += (markdown ? render_markdown(table) : render_text(table)) + "\n";
  if (answer.found.by_accelerator.size() > 1) {
    const ResultTable each = accelerator_table(answer);
    text += (markdown ? render_markdown(each) : render_text(each)) + "\n";
  }
  const std::size_t all = shown_plans(answer).size();
  if (all > table.rows.size())
    text += fmt::format("{} more plans {}: -o plans.csv\n", all - table.rows.size(),
                        !answer.tokens             ? "train fewer tokens"
                        : is_fastest_first(answer) ? "take longer"
                                                   : "cost more and take less time or power");
  for (const std::string& sentence : purchase_sentences(answer))
    text += (markdown ? markdown_text(sentence) + "\n" : printable(sentence)) + "\n";
  if (!answer.confirm.empty()) {
    const std::string& next = answer.confirm[place_of_best(answer)];
    text += markdown ? "\n**Next:** " + markdown_text(next) + "\n" : "\nNext: " + next + "\n";
  }
  return text;
}

std::string render_as(OutputFormat format, const PlanAnswer& answer, const std::string& command_line) {
  switch (format) {
    case OutputFormat::html:
      return plan_page(answer, command_line);
    case OutputFormat::json:
      return write_json(plan_to_json(answer)) + "\n";
    case OutputFormat::csv:
      return render_csv(purchase_table(answer, 0));
    default:
      return as_text(answer, format == OutputFormat::markdown);
  }
}

PurchaseRequest purchase_request(const PlanRequest& request, const PlanAnswer& answer, std::vector<InputFile>& inputs) {
  PurchaseRequest out;
  out.job.scenario = document_of(request, answer.tokens.value_or(0), inputs);
  out.job.settings = request.scenario.settings;
  if (!request.hall.empty()) out.job.settings.push_back(setting_of_hall(request.hall));
  out.job.settings.push_back("job.tokens=" + plain_number(answer.tokens.value_or(asked_tokens), 15));
  out.limits = searched_limits(answer.limits, answer.tokens.has_value());
  if (!answer.tokens) out.job.money.paid_time = answer.limits.time;
  if (!request.sizes.empty()) out.sizes = parse_counts({"--gpus", request.sizes});
  out.job.catalog = shipped_catalog();
  const Catalog& catalog = *out.job.catalog;
  const JsonValue priced = with_price_settings(out.job.scenario, out.job.settings, inputs);
  const PriceList prices = load_prices(priced, catalog, inputs);
  out.machines = machines_of(request, catalog, prices);
  check_given_once(request, out.machines);
  check_caps(request, out.machines, catalog);
  check_budget(request, answer.limits, out.machines, catalog, prices);
  check_hall(request, out);
  if (answer.tokens) check_tokens(request, out, *answer.tokens);
  check_variants(out);
  out.objective = answer.objective;
  out.keep_slow = !request.scenario.on.empty();
  out.stop = interrupted;
  return out;
}

/// Objective of --objective. Without it the cheapest plan is the best; where no days are asked for and another target
/// ends the sizes, the fastest is: the cheapest would be the smallest machine that holds the model.
void set_objective(const PlanRequest& request, PlanAnswer& answer) {
  const PurchaseLimits& limits = answer.limits;
  answer.fastest_by_default = answer.tokens && request.objective.empty() && !limits.time && has_target(limits);
  const std::string usual = answer.fastest_by_default ? "days" : "cost";
  answer.objective = static_cast<PurchaseObjective>(
      parse_choice("--objective", request.objective.empty() ? usual : request.objective, {"cost", "days", "power"}));
  if (!answer.tokens) answer.objective = PurchaseObjective::time;  // the most tokens in the days
}

/// What the plans have in common.
void describe(const PurchaseRequest& asked, PlanAnswer& answer) {
  const std::vector<PurchasePlan> plans = shown_plans(answer);
  if (plans.empty()) return;  // known by the name that was typed
  ScenarioOptions options;
  options.settings = asked.job.settings;
  options.node = plans.front().machine.node;
  options.accelerators = plans.front().accelerators;
  const ResultContext context = make_result_context(scenario_of_document(asked.job.scenario, options), "plan", "", 0);
  answer.model = context.transformer;
  answer.job = context.job;
  // Each machine has a format of its own.
  const std::string format = ", " + context.scenario.at("job").at("precision").as_text();
  if (const std::size_t at = answer.job.find(format);
      at != std::string::npos && !plans.front().machine.precision.empty())
    answer.job.erase(at, format.size());
  const CostReport& cost = plans.front().sized->cost;
  answer.goodput = cost.goodput;
  answer.prices = fmt::format("{} ({})", cost.price_list, cost.date);
}

}  // namespace

ExitCode plan(const PlanRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  PlanAnswer answer;
  answer.model = request.scenario.scenario;
  answer.limits = limits_of(request);
  check_question(request, answer.limits);
  if (!request.tokens.empty()) answer.tokens = parse_tokens(request.tokens);
  set_objective(request, answer);
  PurchaseRequest asked = purchase_request(request, answer, answer.inputs);
  {
    ProgressLine progress("machines", 3 * asked.machines.size(), request.output.quiet);
    asked.progress = [&](std::size_t done) { progress.finished(done); };
    answer.found = search_purchases(asked);
  }
  if (is_fastest_first(answer))
    std::ranges::stable_sort(answer.found.frontier, {}, [&](const PurchasePlan& plan) {
      return rank_of(plan.figures, PurchaseObjective::time, answer.limits);
    });
  describe(asked, answer);
  for (const PurchasePlan& plan : shown_plans(answer)) answer.confirm.push_back(confirm_command(request, answer, plan));
  deliver(targets, request.output.quiet,
          [&](OutputFormat format) { return render_as(format, answer, request.scenario.command_line); });
  if (answer.found.interrupted) {
    write_error("interrupted: machines and sizes are missing from this answer\n");
    return ExitCode::interrupted;
  }
  return answer.found.frontier.empty() ? ExitCode::impossible : ExitCode::ok;
}

}  // namespace clusterwright
