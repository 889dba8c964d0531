// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plan_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "models/site/sizing/run_cost.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/plan_texts.hpp"

namespace clusterwright {

namespace {

constexpr double months_of_a_year = 12;

/// Money of a plan with all that is known of it.
std::string known_money(const PlanAnswer& answer, const PurchasePlan& plan) {
  const PurchaseFigures& f = plan.figures;
  std::string text = purchase_price(f);
  if (f.rented) return text;
  if (f.by_run) text += " to buy";
  if (!f.lower_bound) text += fmt::format(" ({} to {})", purchase_money(f.money.low), purchase_money(f.money.high));
  if (f.by_run)
    text += fmt::format(", {}{} for the run", f.lower_bound ? "at least " : "",
                        purchase_money(purchase_run_price(answer, plan)));
  return text;
}

/// Figures of a plan where time stands for tokens: "$50 M, 5 MW".
std::string figures_text(const PlanAnswer& answer, const PurchasePlan& plan) {
  const std::string work = answer.tokens ? purchase_days(plan.figures.time.value)
                                         : significant_text(trillion_tokens(answer, plan), 3) + " T tokens";
  return fmt::format("{}, {}, {} from the grid, {} racks", work, known_money(answer, plan),
                     purchase_power(plan.figures.power), plan.figures.racks);
}

/// Targets of which a plan uses nearly all: a size less or more would miss them.
std::string binding_text(const PlanAnswer& answer, const PurchasePlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < purchase_limit_count; ++i) {
    const auto limit = static_cast<PurchaseLimit>(i);
    if (!is_set(answer.limits, limit) || (limit == PurchaseLimit::time && !answer.tokens)) continue;
    text += fmt::format("{}{} of {} ({:.0f} %)", text.empty() ? "" : ", ",
                        figure_text(plan.figures, limit, answer.limits.chance), target_text(answer.limits, limit),
                        100 * used_share(plan.figures, answer.limits, limit));
  }
  return text;
}

/// From when on buying is cheaper than renting. One run alone seldom earns back a machine.
std::string break_even_text(const PlanAnswer& answer, const PurchasePlan& plan) {
  const CostReport& cost = plan.sized->cost;
  const std::optional<double> months = cost.rent->break_even_months, runs = break_even_runs(answer, plan);
  const std::string use = fmt::format("used {:.0f} % of the time", 100 * cost.utilisation);
  const std::string life = significant_text(cost.years, 2) + " years";
  if (!months || !runs) return fmt::format("renting is cheaper: {}, they never earn back their price.", use);
  const std::string back = fmt::format("{} they earn back their price after {} months, {} such runs", use,
                                       significant_text(*months, 2), significant_text(*runs, 2));
  if (*months > months_of_a_year * cost.years)
    return fmt::format("renting is cheaper: {}, which is beyond their life of {}.", back, life);
  if (plan.figures.lower_bound) return "parts without a price leave open from when on buying is cheaper.";
  if (*runs <= 1) return fmt::format("buying is cheaper for this run alone: {}.", back);
  return fmt::format(
      "for this run alone renting is cheaper. Buying is if their later time is used too: {}; over their life of {} the "
      "share of one run is {}.",
      back, life, purchase_money(purchase_run_price(answer, plan)));
}

std::string rent_sentence(const PlanAnswer& answer, const PurchasePlan& plan) {
  const auto rent = purchase_rent(answer, plan);
  if (!rent) return fmt::format("No price list states a rent of {}.", plan.machine.accelerator);
  if (plan.figures.rented)
    return fmt::format("Nothing is bought: the rent of the accelerators for the run is {} at ${} an accelerator-hour.",
                       purchase_money(*rent), significant_text(plan.sized->cost.per_hour.total().in(dollar), 3));
  return fmt::format("To buy costs {}, to rent the accelerators for the run {} at ${} an accelerator-hour: {}",
                     purchase_price(plan.figures), purchase_money(*rent),
                     significant_text(plan.sized->cost.rent->rent_per_hour.in(dollar), 3),
                     break_even_text(answer, plan));
}

/// The cheapest plan of the frontier that is likely to be in time; the surest one where none is.
const PurchasePlan& surer_plan(const PlanAnswer& answer) {
  return *std::ranges::max_element(answer.found.frontier, {}, [&](const PurchasePlan& plan) {
    const double chance = purchase_chance(answer, plan);
    return chance < likely_in_time ? std::tuple(chance, false, Dollars())
                                   : std::tuple(likely_in_time, !plan.figures.lower_bound, -ranked_money(plan.figures));
  });
}

bool asks_for_a_day(const PlanAnswer& answer) {
  return answer.tokens && answer.limits.time;
}

/// How sure it is that a plan is in time, and which one is surer; empty where it is likely enough, or no time is set.
std::string chance_sentence(const PlanAnswer& answer, const PurchasePlan& best) {
  if (!asks_for_a_day(answer) || purchase_chance(answer, best) >= likely_in_time) return {};
  const PurchasePlan& surer = surer_plan(answer);
  std::string text = "It is in time with a chance of " + chance_text(answer, purchase_chance(answer, best));
  if (&surer != &best)
    text += fmt::format("; {} would be with {}, for {}", purchase_name(surer),
                        chance_text(answer, purchase_chance(answer, surer)), purchase_price(surer.figures));
  return text + ". `--chance 90%` plans for the slow end of each step.";
}

/// How sure it is that a layout fits in memory, where the capacity lies within the interval of what it uses. The chance
/// to be in time is that of a run that fits.
std::string fit_sentence(const PlanAnswer& answer, const PurchasePlan& best) {
  const StepPrediction& step = *best.sized->step;
  if (step.memory_range.high <= step.memory_capacity) return {};
  std::string text = fmt::format("Its layout may not fit in memory: it does with a chance of {:.0f} %",
                                 100 * purchase_fit_chance(best));
  if (asks_for_a_day(answer))
    text +=
        fmt::format(", and only then is the run in time with {}", chance_text(answer, purchase_chance(answer, best)));
  return text + ".";
}

/// Whether to wait for the best accelerator where another one is there today.
std::string wait_sentence(const PlanAnswer& answer) {
  const auto& each = answer.found.by_accelerator;
  if (!answer.tokens || answer.objective != PurchaseObjective::cost || each.size() < 2) return {};
  const std::optional<AllowedDelay> delay = delay_allowed(answer, each[0], each[1]);
  if (!delay) return {};
  const std::string start = fmt::format(
      "Wait or buy: {} may come {} later than {}, in a larger number, and still be "
      "done on the same day for less money",
      each[0].machine.accelerator, purchase_days(delay->time), purchase_name(each[1]));
  if (!delay->instead) return start + ".";
  return fmt::format("{}: {} take {} for {}, against {} for {}.", start, purchase_name(*delay->instead),
                     purchase_days(delay->instead->figures.time.value),
                     purchase_money(delay->instead->figures.money.value), purchase_days(each[1].figures.time.value),
                     purchase_money(each[1].figures.money.value));
}

void add_miss_sentences(const PlanAnswer& answer, std::vector<std::string>& out) {
  out.push_back("Nothing meets all targets.");
  for (const NearestMiss& miss : answer.found.misses) {
    const double share = used_share(miss.plan.figures, answer.limits, miss.dropped);
    out.push_back(fmt::format("With all but the {}: {}: {} instead of {} ({:.2f} times).", target_name(miss.dropped),
                              purchase_name(miss.plan),
                              figure_text(miss.plan.figures, miss.dropped, answer.limits.chance),
                              target_text(answer.limits, miss.dropped), share));
  }
  if (answer.found.misses.empty()) out.push_back("No machine misses only one of them.");
}

void add_refused(const PlanAnswer& answer, std::vector<std::string>& out) {
  for (const RefusedMachine& refused : answer.found.refused)
    out.push_back(fmt::format("Not planned: {}{}{}: {}", refused.machine.node,
                              refused.machine.precision.empty() ? "" : ", " + refused.machine.precision,
                              refused.machine.variant.empty() ? "" : ", " + refused.machine.variant, refused.reason));
}

/// Goal that the best plan reaches.
std::string goal_text(const PlanAnswer& answer, const PurchasePlan& best) {
  constexpr std::array goals = {"Cheapest", "Fastest", "Least power"};
  const bool by_tokens = !answer.tokens && answer.objective == PurchaseObjective::time;
  if (answer.objective == PurchaseObjective::cost && is_open(answer, best)) return "Least sum of what has a price";
  if (answer.objective == PurchaseObjective::cost && best.figures.by_run) return "Cheapest run";
  return by_tokens ? "Most tokens" : goals[static_cast<std::size_t>(answer.objective)];
}

/// Why no plan is called the best.
std::string open_sentence(const PlanAnswer& answer) {
  if (answer.objective == PurchaseObjective::cost)
    return "No plan that meets the targets has a whole price, so none is called the cheapest.";
  return "No plan that meets the other targets has a whole price, so it is open whether one keeps to the budget.";
}

/// How the plans were ranked, where that is not the usual way.
void add_ranking(const PlanAnswer& answer, const PurchasePlan& best, std::vector<std::string>& out) {
  if (answer.fastest_by_default)
    out.push_back(
        "Without --days the best plan is the one that takes the least time within the targets; `--objective cost` "
        "names the cheapest that holds the model.");
  if (best.figures.by_run)
    out.push_back("Rented machines take part: all rank by the money of the run, not by what is bought.");
}

/// Accelerators whose best plan has no whole price, and what has none.
void add_unpriced(const PlanAnswer& answer, std::vector<std::string>& out) {
  for (const PurchasePlan& plan : answer.found.by_accelerator) {
    if (!plan.figures.lower_bound) continue;
    out.push_back(fmt::format("{} has no whole price: the list {} {}.{}", purchase_name(plan),
                              plan.figures.rented ? "does not state" : "has none of",
                              fmt::join(plan.sized->cost.unpriced, ", "),
                              answer.limits.money ? " Whether it keeps to the budget is open." : ""));
  }
}

/// Batch that replicas share evenly, where it is not the stated one.
std::string batch_sentence(const PurchasePlan& plan) {
  const int batch = plan.sized->step->plan.global_batch;
  if (batch == plan.stated_batch) return {};
  return fmt::format("Its global batch is {} sequences, not {}, so that its replicas share it evenly.",
                     count_text(batch), count_text(plan.stated_batch));
}

void add_best(const PlanAnswer& answer, std::vector<std::string>& out) {
  const PurchasePlan& best = answer.found.frontier[place_of_best(answer)];
  if (is_open(answer, best)) out.push_back(open_sentence(answer));
  out.push_back(fmt::format("{}: {} in {}: {}.", goal_text(answer, best), purchase_name(best), best.machine.node,
                            figures_text(answer, best)));
  add_ranking(answer, best, out);
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) out.push_back(std::move(sentence));
  };
  if (const std::string used = binding_text(answer, best); !used.empty()) add("It uses " + used + ".");
  add(chance_sentence(answer, best));
  add(fit_sentence(answer, best));
  add(batch_sentence(best));
  add("Memory: " + best.sized->step->verdict + ".");
  for (const std::string& warning : best.sized->step->warnings) add("Its step: " + warning + ".");
  add(rent_sentence(answer, best));
  add(wait_sentence(answer));
  add_unpriced(answer, out);
}

}  // namespace

std::vector<std::string> purchase_sentences(const PlanAnswer& answer) {
  std::vector<std::string> out;
  if (answer.found.frontier.empty())
    add_miss_sentences(answer, out);
  else
    add_best(answer, out);
  if (!answer.found.beyond.empty())
    out.push_back(
        fmt::format("Planned, but beyond the targets at every size tried: {}.", fmt::join(answer.found.beyond, ", ")));
  add_refused(answer, out);
  if (shown_plans(answer).empty()) return out;
  out.push_back(fmt::format(
      "{} sizes of machines were planned; prices: {}. Steps run in {:.0f} % of the time (prices.goodput); "
      "low and high of the days are the 90 % interval of the step, of the money the ends of the prices. "
      "Layouts are those of a short search: `search` may find one that is some percent faster, for mixtures "
      "of experts ten or more.",
      answer.found.planned, answer.prices, 100 * answer.goodput));
  return out;
}

}  // namespace clusterwright
