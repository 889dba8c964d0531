// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plan_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/plan/plan.hpp"
#include "models/site/sizing/run_cost.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/plan_texts.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

constexpr double of_tokens = 1e12;

std::string layout_text(const PurchasePlan& plan) {
  const Plan& p = plan.sized->step->plan;
  std::string text = fmt::format("TP {} x PP {} x DP {}", p.tensor, p.pipeline, p.data);
  if (p.context > 1) text += fmt::format(" x CP {}", p.context);
  if (p.expert > 1) text += fmt::format(", EP {}", p.expert);
  return text;
}

/// Money of the run; nothing where the rent of what is rented is not known.
std::optional<Dollars> known_run_price(const PlanAnswer& answer, const PurchasePlan& plan) {
  if (plan.figures.rented && plan.figures.lower_bound) return {};
  return purchase_run_price(answer, plan);
}

JsonValue dollars_or_null(std::optional<Dollars> money) {
  return money ? JsonValue(money->in(dollar)) : JsonValue();
}

JsonValue capex_of(const PurchaseFigures& f) {
  if (f.rented) return {};
  return JsonValue::object(
      {{"low", f.money.low.in(dollar)}, {"value", f.money.value.in(dollar)}, {"high", f.money.high.in(dollar)}});
}

JsonValue json_of(const PlanAnswer& answer, const PurchasePlan& plan, std::size_t place) {
  const PurchaseFigures& f = plan.figures;
  const Interval<Seconds> time = purchase_run_time(answer, plan);
  const auto runs = break_even_runs(answer, plan);
  JsonValue settings = JsonValue::list();
  for (const std::string& setting : plan.settings) settings.push_back(setting);
  return JsonValue::object(
      {{"node", plan.machine.node},
       {"accelerator", plan.machine.accelerator},
       {"precision", plan.machine.precision},
       {"cap", plan.machine.cap},
       {"variant", text_or_null(plan.machine.variant)},
       {"gpus", plan.accelerators},
       {"idle_gpus", idle_accelerators(plan)},
       {"step_time_s", plan.sized->step->step_time.in(second)},
       {"days",
        JsonValue::object({{"low", time.low.in(day)}, {"value", time.value.in(day)}, {"high", time.high.in(day)}})},
       {"trillion_tokens", trillion_tokens(answer, plan)},
       {"chance_in_time", answer.tokens && answer.limits.time ? JsonValue(purchase_chance(answer, plan)) : JsonValue()},
       {"capex_usd", capex_of(f)},
       {"rented", f.rented},
       {"lower_bound", f.lower_bound},
       {"budget_open", f.lower_bound && answer.limits.money && spent_money(f) <= *answer.limits.money},
       {"run_usd", dollars_or_null(known_run_price(answer, plan))},
       {"chance_fits", purchase_fit_chance(plan)},
       {"rent_usd", dollars_or_null(purchase_rent(answer, plan))},
       {"break_even_runs", runs ? JsonValue(*runs) : JsonValue()},
       {"facility_mw", f.power.in(megawatt)},
       {"racks", f.racks},
       {"layout", layout_text(plan)},
       {"settings", settings},
       {"confirm", place < answer.confirm.size() ? JsonValue(answer.confirm[place]) : JsonValue()}});
}

}  // namespace

double trillion_tokens(const PlanAnswer& answer, const PurchasePlan& plan) {
  return purchase_tokens(answer, plan) / of_tokens;
}

double purchase_tokens(const PlanAnswer& answer, const PurchasePlan& plan) {
  if (answer.tokens) return *answer.tokens;
  const TrainingRun& timed = *plan.sized->step->training;
  const double steps = static_cast<double>(timed.steps);
  const double within = std::floor(steps * (purchase_run_time(answer, plan).value / plan.figures.time.value));
  return std::max(1.0, within) * std::round(timed.tokens / steps);
}

std::vector<PurchasePlan> shown_plans(const PlanAnswer& answer) {
  if (!answer.found.frontier.empty()) return answer.found.frontier;
  std::vector<PurchasePlan> out;
  for (const NearestMiss& miss : answer.found.misses) out.push_back(miss.plan);
  return out;
}

std::size_t place_of_best(const PlanAnswer& answer) {
  const auto& plans = answer.found.frontier;
  const auto best = std::ranges::min_element(
      plans, {}, [&](const PurchasePlan& plan) { return rank_of(plan.figures, answer.objective, answer.limits); });
  return best == plans.end() ? 0 : static_cast<std::size_t>(best - plans.begin());
}

bool is_open(const PlanAnswer& answer, const PurchasePlan& plan) {
  return is_open(plan.figures, answer.objective, answer.limits);
}

std::optional<AllowedDelay> delay_allowed(const PlanAnswer& answer, const PurchasePlan& plan,
                                          const PurchasePlan& than) {
  const auto is_bought_whole = [](const PurchaseFigures& f) { return !f.by_run && !f.rented && !f.lower_bound; };
  if (!is_bought_whole(plan.figures) || !is_bought_whole(than.figures)) return {};
  const Seconds end = than.figures.time.value;
  std::optional<PurchasePlan> instead;
  for (const PurchasePlan& size : answer.found.frontier) {
    if (size.machine.accelerator != plan.machine.accelerator || !is_bought_whole(size.figures) ||
        size.figures.money.value > than.figures.money.value)
      continue;
    if (!instead || size.figures.time.value < instead->figures.time.value) instead = size;
  }
  // No size of it is on the frontier: money times days stay, as machines grow in proportion.
  const Seconds least = instead ? instead->figures.time.value
                                : plan.figures.time.value * (plan.figures.money.value / than.figures.money.value);
  return least < end ? std::optional(AllowedDelay{end - least, std::move(instead)}) : std::nullopt;
}

std::string question_text(const PlanAnswer& answer) {
  std::string text = answer.tokens ? fmt::format("{} T tokens", significant_text(*answer.tokens / of_tokens, 4))
                                   : std::string("the most tokens");
  if (answer.tokens && !answer.limits.time && answer.objective == PurchaseObjective::time) text += " in the least time";
  if (answer.limits.time) text += " in " + purchase_days(*answer.limits.time);
  if (answer.limits.time && answer.tokens && answer.limits.chance != 0.5)
    text += fmt::format(" with a chance of {:g} %", 100 * answer.limits.chance);
  std::string within;
  for (const PurchaseLimit limit : {PurchaseLimit::money, PurchaseLimit::power, PurchaseLimit::racks})
    if (is_set(answer.limits, limit))
      within += (within.empty() ? " within " : " and ") + target_text(answer.limits, limit);
  return text + within;
}

namespace {

ResultTable table_of(const PlanAnswer& answer, const std::vector<PurchasePlan>& plans, std::size_t rows) {
  const bool has_chance = answer.tokens && answer.limits.time;
  int decimals = 0;
  for (const PurchasePlan& plan : plans)
    if (has_chance) decimals = std::max(decimals, chance_decimals(answer, purchase_chance(answer, plan)));
  ResultTable table{"",
                    {words_column("machine", "Machine"),
                     words_column("node", "Node"),
                     {"trillion_tokens", "Tokens", "T"},
                     {"days", "Days", ""},
                     {"days_low", "Low", ""},
                     {"days_high", "High", ""},
                     {"chance_in_time", "In time", "%", 100, decimals},
                     words_column("bound", ""),
                     {"capex_usd", "To buy", "$ M", 1e-6},
                     {"capex_low_usd", "Low", "$ M", 1e-6},
                     {"capex_high_usd", "High", "$ M", 1e-6},
                     {"facility_mw", "Grid", "MW"},
                     {"racks", "Racks", ""},
                     {"run_usd", "The run", "$ M", 1e-6},
                     words_column("layout", "Layout")},
                    {}};
  for (const PurchasePlan& plan : plans) {
    if (rows > 0 && table.rows.size() == rows) break;
    const PurchaseFigures& f = plan.figures;
    const Interval<Seconds> time = purchase_run_time(answer, plan);
    const auto bought = [&](Dollars money) { return f.rented ? Cell() : Cell(money.in(dollar)); };
    const auto run = known_run_price(answer, plan);
    table.rows.push_back({purchase_name(plan), plan.machine.node, trillion_tokens(answer, plan), time.value.in(day),
                          time.low.in(day), time.high.in(day),
                          has_chance ? Cell(purchase_chance(answer, plan)) : Cell(), f.lower_bound ? "at least" : "",
                          bought(f.money.value), bought(f.money.low), bought(f.money.high), f.power.in(megawatt),
                          f.racks, run ? Cell(run->in(dollar)) : Cell(), layout_text(plan)});
  }
  // What is the same in all rows, or of no plan.
  const auto drop = [&](std::size_t column) {
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  };
  if (std::ranges::none_of(plans, [](const PurchasePlan& plan) { return plan.figures.lower_bound; })) drop(7);
  if (!has_chance) drop(6);
  if (answer.tokens)
    drop(2);
  else
    drop(5), drop(4), drop(3);
  return table;
}

}  // namespace

ResultTable purchase_table(const PlanAnswer& answer, std::size_t rows) {
  return table_of(answer, shown_plans(answer), rows);
}

ResultTable accelerator_table(const PlanAnswer& answer) {
  ResultTable table = table_of(answer, answer.found.by_accelerator, 0);
  table.title = "The best of each accelerator";
  return table;
}

JsonValue plan_to_json(const PlanAnswer& answer) {
  JsonValue document = result_header("plan", 0, answer.inputs);
  document.set("model", answer.model);
  document.set("question", question_text(answer));
  JsonValue accelerators = JsonValue::list();
  const auto& each = answer.found.by_accelerator;
  for (std::size_t i = 0; i < each.size(); ++i) {
    JsonValue one = json_of(answer, each[i], answer.confirm.size());
    const bool compared = i + 1 < each.size() && answer.tokens && answer.objective == PurchaseObjective::cost;
    const auto delay = compared ? delay_allowed(answer, each[i], each[i + 1]) : std::nullopt;
    one.set("may_wait_days", delay ? JsonValue(delay->time.in(day)) : JsonValue());
    accelerators.push_back(std::move(one));
  }
  document.set("accelerators", std::move(accelerators));
  JsonValue frontier = JsonValue::list(), misses = JsonValue::list(), refused = JsonValue::list();
  for (std::size_t i = 0; i < answer.found.frontier.size(); ++i)
    frontier.push_back(json_of(answer, answer.found.frontier[i], i));
  for (std::size_t i = 0; i < answer.found.misses.size(); ++i) {
    JsonValue miss = json_of(answer, answer.found.misses[i].plan, i);
    miss.set("missed", target_name(answer.found.misses[i].dropped));
    misses.push_back(std::move(miss));
  }
  for (const RefusedMachine& one : answer.found.refused)
    refused.push_back(JsonValue::object({{"node", one.machine.node},
                                         {"precision", one.machine.precision},
                                         {"variant", text_or_null(one.machine.variant)},
                                         {"reason", one.reason}}));
  const std::size_t best = place_of_best(answer);
  const bool has_best = !answer.found.frontier.empty() && !is_open(answer, answer.found.frontier[best]);
  document.set("best", has_best ? JsonValue(static_cast<int>(best)) : JsonValue());
  document.set("frontier", std::move(frontier));
  document.set("misses", std::move(misses));
  document.set("refused", std::move(refused));
  JsonValue beyond = JsonValue::list();
  for (const std::string& accelerator : answer.found.beyond) beyond.push_back(accelerator);
  document.set("beyond", std::move(beyond));
  document.set("planned", static_cast<int>(answer.found.planned));
  document.set("goodput", answer.goodput);
  document.set("complete", !answer.found.interrupted);
  return document;
}

}  // namespace clusterwright
