// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plan_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "models/plan/plan.hpp"
#include "models/site/sizing/run_cost.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

constexpr double of_tokens = 1e12;
constexpr std::array limit_names = {"days", "money", "power", "racks"};

std::string millions(Dollars money) {
  return fmt::format("${} M", significant_text(money.in(dollar) / 1e6, 4));
}

std::string days_text(Seconds time) {
  return fmt::format("{} days", significant_text(time.in(day), 3));
}

std::string grid_power_text(Watts power) {
  return fmt::format("{} MW", significant_text(power.in(megawatt), 3));
}

std::string machine_text_of(const PurchasePlan& plan) {
  return fmt::format("{} x {}{}{}{}", count_text(plan.accelerators), plan.machine.accelerator,
                     plan.machine.precision.empty() ? "" : ", " + plan.machine.precision,
                     plan.machine.cap < 1 ? fmt::format(", limited to {:g} %", 100 * plan.machine.cap) : "",
                     plan.machine.variant.empty() ? "" : ", " + plan.machine.variant);
}

std::string layout_text(const PurchasePlan& plan) {
  const Plan& p = plan.sized->step->plan;
  std::string text = fmt::format("TP {} x PP {} x DP {}", p.tensor, p.pipeline, p.data);
  if (p.context > 1) text += fmt::format(" x CP {}", p.context);
  if (p.expert > 1) text += fmt::format(", EP {}", p.expert);
  return text;
}

/// Work of the answer over that of the run that was timed.
double work_share(const PlanAnswer& answer, const PurchasePlan& plan) {
  return trillion_tokens(answer, plan) * of_tokens / plan.sized->step->training->tokens;
}

/// Share of the run in the price of the machine.
Dollars run_price(const PlanAnswer& answer, const PurchasePlan& plan) {
  return plan.sized->run->total.value * (answer.tokens ? 1 : work_share(answer, plan));
}

/// Rent of the accelerators over the paid time; nothing where the list states none.
std::optional<Dollars> rent_of(const PlanAnswer& answer, const PurchasePlan& plan) {
  const auto& rent = plan.sized->cost.rent;
  if (!rent) return {};
  const double share = answer.tokens ? 1 : work_share(answer, plan);
  return rent->rent_per_hour * (plan.accelerators * (plan.figures.time.value / hour)) * share;
}

std::string value_of(const PurchaseFigures& figures, PurchaseLimit limit, double chance = 0.5) {
  switch (limit) {
    case PurchaseLimit::time:
      return days_text(time_at_chance(figures.time, chance));
    case PurchaseLimit::money:
      return millions(figures.money.value);
    case PurchaseLimit::power:
      return grid_power_text(figures.power);
    default:
      return fmt::format("{} rack{}", figures.racks, figures.racks == 1 ? "" : "s");
  }
}

std::string limit_text(const PurchaseLimits& limits, PurchaseLimit limit) {
  return value_of({{{}, limits.time.value_or(Seconds{}), {}},
                   {{}, limits.money.value_or(Dollars{}), {}},
                   limits.power.value_or(Watts{}),
                   limits.racks.value_or(0)},
                  limit);
}

/// Figures of a plan where time stands for tokens: "$50 M, 5 MW".
std::string figures_text(const PlanAnswer& answer, const PurchasePlan& plan) {
  const std::string work = answer.tokens ? days_text(plan.figures.time.value)
                                         : significant_text(trillion_tokens(answer, plan), 3) + " T tokens";
  return fmt::format("{}, {} ({} to {}), {} from the grid, {} racks", work, millions(plan.figures.money.value),
                     millions(plan.figures.money.low), millions(plan.figures.money.high),
                     grid_power_text(plan.figures.power), plan.figures.racks);
}

/// Targets of which a plan uses nearly all: a size less or more would miss them.
std::string binding_text(const PlanAnswer& answer, const PurchasePlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < purchase_limit_count; ++i) {
    const auto limit = static_cast<PurchaseLimit>(i);
    if (!is_set(answer.limits, limit) || (limit == PurchaseLimit::time && !answer.tokens)) continue;
    text += fmt::format("{}{} of {} ({:.0f} %)", text.empty() ? "" : ", ",
                        value_of(plan.figures, limit, answer.limits.chance), limit_text(answer.limits, limit),
                        100 * used_share(plan.figures, answer.limits, limit));
  }
  return text;
}

std::string rent_sentence(const PlanAnswer& answer, const PurchasePlan& plan) {
  const auto rent = rent_of(answer, plan);
  if (!rent) return fmt::format("No price list states a rent of {}.", plan.machine.accelerator);
  const RentOrBuy& terms = *plan.sized->cost.rent;
  return fmt::format(
      "Renting them for the run costs {} at ${} an accelerator-hour; bought for {} years and used {:.0f} % of the "
      "time, the "
      "run's share is {}: {} is cheaper.",
      millions(*rent), significant_text(terms.rent_per_hour.in(dollar), 3), significant_text(plan.sized->cost.years, 2),
      100 * plan.sized->cost.utilisation, millions(run_price(answer, plan)),
      *rent < run_price(answer, plan) ? "renting" : "buying");
}

/// @pre tokens are asked for by a day
double chance_of(const PlanAnswer& answer, const PurchasePlan& plan) {
  return chance_in_time(plan.figures.time, *answer.limits.time);
}

/// The cheapest plan of the frontier that is likely to be in time; the surest one where none is.
const PurchasePlan& surer_plan(const PlanAnswer& answer, double likely) {
  return *std::ranges::max_element(answer.found.frontier, {}, [&](const PurchasePlan& plan) {
    const double chance = chance_of(answer, plan);
    return chance < likely ? std::pair(chance, Dollars()) : std::pair(likely, -plan.figures.money.value);
  });
}

/// How sure it is that a plan is in time, and which one is surer; empty where it is likely enough, or no time is set.
std::string chance_sentence(const PlanAnswer& answer, const PurchasePlan& best) {
  constexpr double likely = 0.9;
  if (!answer.tokens || !answer.limits.time || chance_of(answer, best) >= likely) return {};
  const PurchasePlan& surer = surer_plan(answer, likely);
  std::string text = fmt::format("It is in time with a chance of {:.0f} %", 100 * chance_of(answer, best));
  if (&surer != &best)
    text += fmt::format("; {} would be with {:.0f} %, for {}", machine_text_of(surer), 100 * chance_of(answer, surer),
                        millions(surer.figures.money.value));
  return text + ". `--chance 90%` plans for the slow end of each step.";
}

/// Whether to wait for the best accelerator where another one is there today.
std::string wait_sentence(const PlanAnswer& answer) {
  const auto& each = answer.found.by_accelerator;
  if (!answer.tokens || answer.objective != PurchaseObjective::cost || each.size() < 2) return {};
  const std::optional<Seconds> delay = delay_allowed(answer, each[0], each[1]);
  if (!delay) return {};
  return fmt::format(
      "Wait or buy: {} may come {} later than {}, in a larger number, and still be done on the same day for less "
      "money.",
      each[0].machine.accelerator, days_text(*delay), machine_text_of(each[1]));
}

void add_miss_sentences(const PlanAnswer& answer, std::vector<std::string>& out) {
  out.push_back("Nothing meets all targets.");
  for (const NearestMiss& miss : answer.found.misses) {
    const double share = used_share(miss.plan.figures, answer.limits, miss.dropped);
    out.push_back(fmt::format("With all but the {}: {}: {} instead of {} ({:.2f} times).",
                              limit_names[static_cast<std::size_t>(miss.dropped)], machine_text_of(miss.plan),
                              value_of(miss.plan.figures, miss.dropped, answer.limits.chance),
                              limit_text(answer.limits, miss.dropped), share));
  }
  if (answer.found.misses.empty()) out.push_back("No machine misses only one of them.");
}

void add_refused(const PlanAnswer& answer, std::vector<std::string>& out) {
  for (const RefusedMachine& refused : answer.found.refused)
    out.push_back(fmt::format("Not planned: {}{}{}: {}", refused.machine.node,
                              refused.machine.precision.empty() ? "" : ", " + refused.machine.precision,
                              refused.machine.variant.empty() ? "" : ", " + refused.machine.variant, refused.reason));
}

JsonValue json_of(const PlanAnswer& answer, const PurchasePlan& plan, std::size_t place) {
  const PurchaseFigures& f = plan.figures;
  const auto rent = rent_of(answer, plan);
  JsonValue settings = JsonValue::list();
  for (const std::string& setting : plan.settings) settings.push_back(setting);
  return JsonValue::object(
      {{"node", plan.machine.node},
       {"accelerator", plan.machine.accelerator},
       {"precision", plan.machine.precision},
       {"cap", plan.machine.cap},
       {"variant", text_or_null(plan.machine.variant)},
       {"gpus", plan.accelerators},
       {"step_time_s", plan.sized->step->step_time.in(second)},
       {"days", JsonValue::object(
                    {{"low", f.time.low.in(day)}, {"value", f.time.value.in(day)}, {"high", f.time.high.in(day)}})},
       {"trillion_tokens", trillion_tokens(answer, plan)},
       {"chance_in_time", answer.tokens && answer.limits.time ? JsonValue(chance_of(answer, plan)) : JsonValue()},
       {"capex_usd",
        JsonValue::object(
            {{"low", f.money.low.in(dollar)}, {"value", f.money.value.in(dollar)}, {"high", f.money.high.in(dollar)}})},
       {"lower_bound", plan.sized->cost.lower_bound()},
       {"run_usd", run_price(answer, plan).in(dollar)},
       {"rent_usd", rent ? JsonValue(rent->in(dollar)) : JsonValue()},
       {"facility_mw", f.power.in(megawatt)},
       {"racks", f.racks},
       {"layout", layout_text(plan)},
       {"settings", settings},
       {"confirm", place < answer.confirm.size() ? JsonValue(answer.confirm[place]) : JsonValue()}});
}

}  // namespace

double trillion_tokens(const PlanAnswer& answer, const PurchasePlan& plan) {
  if (answer.tokens) return *answer.tokens / of_tokens;
  return plan.sized->step->training->tokens / of_tokens *
         (answer.limits.time.value_or(plan.figures.time.value) / plan.figures.time.value);
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
      plans, {}, [&](const PurchasePlan& plan) { return objective_of(plan.figures, answer.objective); });
  return best == plans.end() ? 0 : static_cast<std::size_t>(best - plans.begin());
}

std::optional<Seconds> delay_allowed(const PlanAnswer& answer, const PurchasePlan& plan, const PurchasePlan& than) {
  const Seconds end = answer.limits.time.value_or(than.figures.time.value);
  // Money times days stay, as machines grow in proportion.
  const Seconds least = plan.figures.time.value * (plan.figures.money.value / than.figures.money.value);
  return least < end ? std::optional(end - least) : std::nullopt;
}

std::string question_text(const PlanAnswer& answer) {
  std::string text = answer.tokens ? fmt::format("{} T tokens", significant_text(*answer.tokens / of_tokens, 4))
                                   : std::string("the most tokens");
  if (answer.limits.time) text += " in " + days_text(*answer.limits.time);
  if (answer.limits.time && answer.tokens && answer.limits.chance != 0.5)
    text += fmt::format(" with a chance of {:g} %", 100 * answer.limits.chance);
  std::string within;
  for (const PurchaseLimit limit : {PurchaseLimit::money, PurchaseLimit::power, PurchaseLimit::racks})
    if (is_set(answer.limits, limit))
      within += (within.empty() ? " within " : " and ") + limit_text(answer.limits, limit);
  return text + within;
}

namespace {

ResultTable table_of(const PlanAnswer& answer, const std::vector<PurchasePlan>& plans, std::size_t rows) {
  ResultTable table{"",
                    {words_column("machine", "Machine"),
                     words_column("node", "Node"),
                     {"trillion_tokens", "Tokens", "T"},
                     {"days", "Days", ""},
                     {"days_low", "Low", ""},
                     {"days_high", "High", ""},
                     {"chance_in_time", "In time", "%", 100, 0},
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
    const bool has_chance = answer.tokens && answer.limits.time;
    table.rows.push_back({machine_text_of(plan), plan.machine.node, trillion_tokens(answer, plan), f.time.value.in(day),
                          f.time.low.in(day), f.time.high.in(day), has_chance ? Cell(chance_of(answer, plan)) : Cell(),
                          f.money.value.in(dollar), f.money.low.in(dollar), f.money.high.in(dollar),
                          f.power.in(megawatt), f.racks, run_price(answer, plan).in(dollar), layout_text(plan)});
  }
  // What is the same in all rows, or of no plan.
  const auto drop = [&](std::size_t column) {
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  };
  if (!answer.tokens || !answer.limits.time) drop(6);
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

std::vector<std::string> purchase_sentences(const PlanAnswer& answer) {
  std::vector<std::string> out;
  if (answer.found.frontier.empty()) {
    add_miss_sentences(answer, out);
  } else {
    constexpr std::array goals = {"Cheapest", "Fastest", "Least power"};
    const PurchasePlan& best = answer.found.frontier[place_of_best(answer)];
    const bool by_tokens = !answer.tokens && answer.objective == PurchaseObjective::time;
    out.push_back(fmt::format("{}: {} in {}: {}.",
                              by_tokens ? "Most tokens" : goals[static_cast<std::size_t>(answer.objective)],
                              machine_text_of(best), best.machine.node, figures_text(answer, best)));
    if (const std::string used = binding_text(answer, best); !used.empty()) out.push_back("It uses " + used + ".");
    if (std::string chance = chance_sentence(answer, best); !chance.empty()) out.push_back(std::move(chance));
    out.push_back("Memory: " + best.sized->step->verdict + ".");
    for (const std::string& warning : best.sized->step->warnings) out.push_back("Its step: " + warning + ".");
    out.push_back(rent_sentence(answer, best));
    if (std::string wait = wait_sentence(answer); !wait.empty()) out.push_back(std::move(wait));
    if (best.sized->cost.lower_bound()) out.push_back("Parts without a price are not in the sum: it is a lower bound.");
  }
  if (!answer.found.beyond.empty())
    out.push_back(
        fmt::format("Planned, but beyond the targets at every size tried: {}.", fmt::join(answer.found.beyond, ", ")));
  add_refused(answer, out);
  if (shown_plans(answer).empty()) return out;
  out.push_back(
      fmt::format("{} sizes of machines were planned; prices: {}. Steps run in {:.0f} % of the time (prices.goodput); "
                  "low and high of the days are the 90 % interval of the step, of the money the ends of the prices. "
                  "Layouts are the better of two replays: `search` may find one that is some percent faster.",
                  answer.found.planned, answer.prices, 100 * answer.goodput));
  return out;
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
    one.set("may_wait_days", delay ? JsonValue(delay->in(day)) : JsonValue());
    accelerators.push_back(std::move(one));
  }
  document.set("accelerators", std::move(accelerators));
  JsonValue frontier = JsonValue::list(), misses = JsonValue::list(), refused = JsonValue::list();
  for (std::size_t i = 0; i < answer.found.frontier.size(); ++i)
    frontier.push_back(json_of(answer, answer.found.frontier[i], i));
  for (std::size_t i = 0; i < answer.found.misses.size(); ++i) {
    JsonValue miss = json_of(answer, answer.found.misses[i].plan, i);
    miss.set("missed", limit_names[static_cast<std::size_t>(answer.found.misses[i].dropped)]);
    misses.push_back(std::move(miss));
  }
  for (const RefusedMachine& one : answer.found.refused)
    refused.push_back(JsonValue::object({{"node", one.machine.node},
                                         {"precision", one.machine.precision},
                                         {"variant", text_or_null(one.machine.variant)},
                                         {"reason", one.reason}}));
  document.set("best",
               answer.found.frontier.empty() ? JsonValue() : JsonValue(static_cast<int>(place_of_best(answer))));
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
