// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plan_texts.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "models/job/price_list.hpp"
#include "models/site/sizing/run_cost.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

std::string purchase_money(Dollars money) {
  return fmt::format("${} M", significant_text(money.in(dollar) / 1e6, 4));
}

std::string purchase_days(Seconds time) {
  return fmt::format("{} days", significant_text(time.in(day), 3));
}

std::string purchase_power(Watts power) {
  return fmt::format("{} MW", significant_text(power.in(megawatt), 3));
}

const char* target_name(PurchaseLimit limit) {
  constexpr std::array names = {"days", "money", "power", "racks"};
  return names[static_cast<std::size_t>(limit)];
}

int idle_accelerators(const PurchasePlan& plan) {
  return plan.sized ? plan.sized->plan.accelerators - plan.accelerators : 0;
}

std::string purchase_name(const PurchasePlan& plan) {
  const int idle = idle_accelerators(plan);
  return fmt::format("{}{} x {}{}{}{}", count_text(plan.accelerators),
                     idle > 0 ? " of " + count_text(plan.accelerators + idle) : "", plan.machine.accelerator,
                     plan.machine.precision.empty() ? "" : ", " + plan.machine.precision,
                     plan.machine.cap < 1 ? fmt::format(", limited to {:g} %", 100 * plan.machine.cap) : "",
                     plan.machine.variant.empty() ? "" : ", " + plan.machine.variant);
}

std::string purchase_price(const PurchaseFigures& figures) {
  if (figures.rented && figures.lower_bound) return "a rent that no price list states";
  if (figures.rented) return purchase_money(figures.run) + " of rent";
  return (figures.lower_bound ? "at least " : "") + purchase_money(figures.money.value);
}

std::string figure_text(const PurchaseFigures& figures, PurchaseLimit limit, double chance) {
  switch (limit) {
    case PurchaseLimit::time:
      return purchase_days(time_at_chance(figures.time, chance));
    case PurchaseLimit::money:
      return figures.rented && !figures.lower_bound ? purchase_money(figures.run) : purchase_price(figures);
    case PurchaseLimit::power:
      return purchase_power(figures.power);
    default:
      return fmt::format("{} rack{}", figures.racks, figures.racks == 1 ? "" : "s");
  }
}

std::string target_text(const PurchaseLimits& limits, PurchaseLimit limit) {
  return figure_text({{{}, limits.time.value_or(Seconds{}), {}},
                      {{}, limits.money.value_or(Dollars{}), {}},
                      limits.power.value_or(Watts{}),
                      limits.racks.value_or(0)},
                     limit);
}

namespace {

/// Work of the answer over that of the run that was timed.
double work_share(const PlanAnswer& answer, const PurchasePlan& plan) {
  return answer.tokens || !answer.limits.time ? 1 : *answer.limits.time / plan.figures.time.value;
}

}  // namespace

Interval<Seconds> purchase_run_time(const PlanAnswer& answer, const PurchasePlan& plan) {
  return plan.figures.time.times(work_share(answer, plan));
}

Dollars purchase_run_price(const PlanAnswer& answer, const PurchasePlan& plan) {
  return plan.sized->run->total.value * work_share(answer, plan);
}

std::optional<Dollars> purchase_rent(const PlanAnswer& answer, const PurchasePlan& plan) {
  const auto& rent = plan.sized->cost.rent;
  if (plan.figures.rented && !plan.figures.lower_bound) return purchase_run_price(answer, plan);
  if (!rent) return {};
  return rent->rent_per_hour * (plan.sized->run->accelerator_hours.value * work_share(answer, plan));
}

std::optional<double> break_even_runs(const PlanAnswer& answer, const PurchasePlan& plan) {
  const CostReport& cost = plan.sized->cost;
  if (!cost.rent || !cost.rent->break_even_months) return {};
  return runs_to_break_even(*cost.rent->break_even_months, cost.utilisation, purchase_run_time(answer, plan).value);
}

double purchase_chance(const PlanAnswer& answer, const PurchasePlan& plan) {
  return chance_in_time(plan.figures.time, *answer.limits.time);
}

double purchase_fit_chance(const PurchasePlan& plan) {
  const StepPrediction& step = *plan.sized->step;
  return chance_to_fit(step.memory, step.memory_range, step.memory_capacity);
}

int chance_decimals(const PlanAnswer& answer, double chance) {
  constexpr int most = 3;
  for (int decimals = 0; decimals < most; ++decimals) {
    const double scale = 100 * std::pow(10, decimals);
    const auto looks_met = [&](double target) {
      return chance < target && std::round(chance * scale) >= std::round(target * scale);
    };
    if (!looks_met(likely_in_time) && !looks_met(answer.limits.chance)) return decimals;
  }
  return most;
}

std::string chance_text(const PlanAnswer& answer, double chance) {
  return fmt::format("{:.{}f} %", 100 * chance, chance_decimals(answer, chance));
}

}  // namespace clusterwright
