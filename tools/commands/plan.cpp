// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

constexpr double asked_tokens = 1e12;       // of the run that is timed where the tokens are asked for
constexpr std::size_t shown_rows = 16;      // in terminals; files hold all
constexpr double forgotten_millions = 1e5;  // dollars without a unit, up to which "M" may have been meant

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

void check_question(const PlanRequest& request, const PurchaseLimits& limits) {
  if (request.tokens.empty() && !limits.time)
    throw option_error("--tokens", "", "neither the tokens of the run nor its days are given",
                       "--tokens 15T --days 90, or one of them with --budget or --power");
  if (request.tokens.empty() && !limits.money && !limits.power && !limits.racks)
    throw option_error("--days", request.days, "nothing limits the tokens", "add --budget, --power or --racks");
}

double parse_tokens(const std::string& text) {
  const double tokens = parse_amount({"--tokens", text});
  if (tokens > most_tokens)
    throw option_error("--tokens", text,
                       fmt::format("a run has at most {} T tokens", count_text(std::llround(most_tokens / 1e12))),
                       "15T is 15 trillion tokens");
  return tokens;
}

/// Refuses limits of --caps that no driver of the machines takes.
void check_caps(const PlanRequest& request, const std::vector<MachineChoice>& machines, const Catalog& catalog) {
  const AcceleratorPart* lowest = nullptr;  // that takes the least share of its rating
  const auto least_share_of = [](const AcceleratorPart& part) { return least_power_limit(part) / part.power.value; };
  for (const MachineChoice& machine : machines) {
    const AcceleratorPart& part = *catalog.find_accelerator(machine.accelerator);
    if (machine.cap >= least_share_of(part)) return;
    if (!lowest || least_share_of(part) < least_share_of(*lowest)) lowest = &part;
  }
  if (!lowest) return;
  throw option_error(
      "--caps", request.caps,
      fmt::format("every limit is below the least one of its accelerators: {} takes no less than {}, {} "
                  "of its rating",
                  lowest->id, power_text(least_power_limit(*lowest)), percent_text(least_share_of(*lowest))),
      "percent of the rating from there on: 100,80");
}

/// Refuses a budget that buys not one node, which a number without its unit often is.
void check_budget(const PlanRequest& request, const PurchaseLimits& limits, const std::vector<MachineChoice>& machines,
                  const Catalog& catalog, const PriceList& prices) {
  if (!limits.money) return;
  std::optional<Dollars> least;
  std::string cheapest;
  for (const MachineChoice& machine : machines) {
    const std::optional<Dollars> each = price_of(machine.node, catalog, prices).each;
    if (each && (!least || *each < *least)) least = each, cheapest = machine.node;
  }
  if (!least || *limits.money >= *least) return;
  const char last = request.budget.back();
  const bool bare = last >= '0' && last <= '9' && limits.money->in(dollar) <= forgotten_millions;
  throw option_error("--budget", request.budget,
                     fmt::format("{} buys no node: the cheapest, {}, costs {}", money_text(*limits.money), cheapest,
                                 money_text(*least)),
                     bare ? fmt::format("did you mean {}M?", request.budget) : "write dollars with k, M or B: 150M");
}

std::string setting_of_hall(const PlanRequest& request) {
  return "cluster.facility.like=" + request.hall;
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
  if (!request.hall.empty()) confirmed.settings.push_back(setting_of_hall(request));
  confirmed.settings.push_back("job.tokens=" + plain_number(purchase_tokens(answer, plan), 15));
  const std::vector<std::string>& variant = plan.machine.settings;
  confirmed.settings.insert(confirmed.settings.end(), variant.begin(), variant.end());
  if (!plan.machine.precision.empty()) confirmed.settings.push_back("job.precision=" + plan.machine.precision);
  confirmed.settings.insert(confirmed.settings.end(), plan.settings.begin(), plan.settings.end());
  if (plan.machine.cap < 1) confirmed.cap = plain_number(100 * plan.machine.cap, 6) + "%";
  return "clusterwright size " + words_of(confirmed);
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
    text += fmt::format("{} more plans cost more and take less time or power: -o plans.csv\n", all - table.rows.size());
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

/// Error of the job on one node of a machine, and in its hall; nothing where it can be read.
std::optional<ConfigError> error_on(const PurchaseJob& job, const MachineChoice& machine, bool with_variant) {
  ScenarioOptions options;
  options.settings = job.settings;
  if (with_variant) options.settings.insert(options.settings.end(), machine.settings.begin(), machine.settings.end());
  options.node = machine.node;
  options.accelerators = 1;
  try {
    std::vector<InputFile> unused;
    JobSite(scenario_of_document(job.scenario, options), unused);
  } catch (const ConfigError& error) {
    return error;
  }
  return {};
}

/// Refuses a value of --vary that means nothing: of a machine it would be a reason.
void check_variants(const PurchaseRequest& asked) {
  std::set<std::string> checked;
  for (const MachineChoice& machine : asked.machines) {
    if (machine.variant.empty() || checked.contains(machine.variant) || error_on(asked.job, machine, false)) continue;
    checked.insert(machine.variant);
    if (const auto error = error_on(asked.job, machine, true); error && is_of_words(*error)) throw *error;
  }
}

/// Refuses a hall that does not exist at its option: of a machine it would be a reason.
void check_hall(const PlanRequest& request, const PurchaseRequest& asked) {
  if (request.hall.empty()) return;
  PurchaseJob usual = asked.job;  // in the usual hall of each node
  std::erase(usual.settings, setting_of_hall(request));
  for (const MachineChoice& machine : asked.machines) {
    if (error_on(usual, machine, false)) continue;
    const auto error = error_on(asked.job, machine, false);
    if (!error || !is_of_words(*error)) return;
    Diagnostic first = error->diagnostics().front();
    if (first.places.empty() || first.places.front().source->name().starts_with("--set"))
      first.places = {option_place("--hall", request.hall)};
    throw ConfigError(first);
  }
}

PurchaseRequest purchase_request(const PlanRequest& request, const PlanAnswer& answer, std::vector<InputFile>& inputs) {
  PurchaseRequest out;
  out.job.scenario = document_of(request, answer.tokens.value_or(0), inputs);
  out.job.settings = request.scenario.settings;
  if (!request.hall.empty()) out.job.settings.push_back(setting_of_hall(request));
  out.job.settings.push_back("job.tokens=" + plain_number(answer.tokens.value_or(asked_tokens), 15));
  out.limits = searched_limits(answer.limits, answer.tokens.has_value());
  if (!request.sizes.empty()) out.sizes = parse_counts({"--gpus", request.sizes});
  const Catalog catalog = load_catalog(configs_directory() / "parts", FactCheck::none);
  const JsonValue priced = with_price_settings(out.job.scenario, out.job.settings, inputs);
  const PriceList prices = load_prices(priced, catalog, inputs);
  out.machines = machines_of(request, catalog, prices);
  check_caps(request, out.machines, catalog);
  check_budget(request, answer.limits, out.machines, catalog, prices);
  check_hall(request, out);
  check_variants(out);
  out.objective = answer.objective;
  out.keep_slow = !request.scenario.on.empty();
  out.stop = interrupted;
  return out;
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
  answer.objective =
      static_cast<PurchaseObjective>(parse_choice("--objective", request.objective, {"cost", "days", "power"}));
  if (!answer.tokens) answer.objective = PurchaseObjective::time;  // the most tokens in the days
  PurchaseRequest asked = purchase_request(request, answer, answer.inputs);
  {
    ProgressLine progress("machines", 3 * asked.machines.size(), request.output.quiet);
    asked.progress = [&](std::size_t done) { progress.finished(done); };
    answer.found = search_purchases(asked);
  }
  if (!answer.tokens)  // the most tokens first
    std::ranges::stable_sort(answer.found.frontier, {}, [](const PurchasePlan& p) { return p.figures.time.value; });
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
