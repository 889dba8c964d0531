// SPDX-License-Identifier: Apache-2.0
#include "models/procurement/purchase.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "models/job/price_list.hpp"

namespace clusterwright {

Dollars ranked_money(const PurchaseFigures& figures) {
  return figures.by_run || figures.rented ? figures.run : figures.money.value;
}

Dollars spent_money(const PurchaseFigures& figures) {
  return figures.rented ? figures.run : figures.money.value;
}

bool is_set(const PurchaseLimits& limits, PurchaseLimit limit) {
  switch (limit) {
    case PurchaseLimit::time:
      return limits.time.has_value();
    case PurchaseLimit::money:
      return limits.money.has_value();
    case PurchaseLimit::power:
      return limits.power.has_value();
    default:
      return limits.racks.has_value();
  }
}

bool has_target(const PurchaseLimits& limits) {
  return limits.time || limits.money || limits.power || limits.racks;
}

double used_share(const PurchaseFigures& figures, const PurchaseLimits& limits, PurchaseLimit limit) {
  switch (limit) {
    case PurchaseLimit::time:
      return limits.time ? time_at_chance(figures.time, limits.chance) / *limits.time : 0;
    case PurchaseLimit::money:
      return limits.money ? spent_money(figures) / *limits.money : 0;
    case PurchaseLimit::power:
      return limits.power ? figures.power / *limits.power : 0;
    default:
      return limits.racks ? static_cast<double>(figures.racks) / *limits.racks : 0;
  }
}

bool meets(const PurchaseFigures& figures, const PurchaseLimits& limits) {
  for (std::size_t limit = 0; limit < purchase_limit_count; ++limit)
    if (used_share(figures, limits, static_cast<PurchaseLimit>(limit)) > 1) return false;
  return true;
}

PurchaseLimits without(PurchaseLimits limits, PurchaseLimit dropped) {
  if (dropped == PurchaseLimit::time) limits.time.reset();
  if (dropped == PurchaseLimit::money) limits.money.reset();
  if (dropped == PurchaseLimit::power) limits.power.reset();
  if (dropped == PurchaseLimit::racks) limits.racks.reset();
  return limits;
}

double objective_of(const PurchaseFigures& figures, PurchaseObjective objective) {
  switch (objective) {
    case PurchaseObjective::cost:
      return ranked_money(figures).in(dollar);
    case PurchaseObjective::time:
      return figures.time.value.in(second);
    case PurchaseObjective::racks:
      return figures.racks;
    default:
      return figures.power.in(watt);
  }
}

PurchaseObjective objective_on(PurchaseLimit limit) {
  switch (limit) {
    case PurchaseLimit::time:
      return PurchaseObjective::time;
    case PurchaseLimit::money:
      return PurchaseObjective::cost;
    case PurchaseLimit::power:
      return PurchaseObjective::power;
    default:
      return PurchaseObjective::racks;
  }
}

namespace {

PurchaseLimit limit_on(PurchaseObjective objective) {
  switch (objective) {
    case PurchaseObjective::time:
      return PurchaseLimit::time;
    case PurchaseObjective::power:
      return PurchaseLimit::power;
    case PurchaseObjective::racks:
      return PurchaseLimit::racks;
    case PurchaseObjective::cost:
      break;
  }
  return PurchaseLimit::money;
}

}  // namespace

bool is_open(const PurchaseFigures& figures, PurchaseObjective objective, const PurchaseLimits& limits) {
  return figures.lower_bound && (objective == PurchaseObjective::cost || limits.money);
}

PurchaseRank rank_of(const PurchaseFigures& figures, PurchaseObjective objective, const PurchaseLimits& limits) {
  return {is_open(figures, objective, limits), objective_of(figures, objective)};
}

bool is_of_interest(const PurchaseFigures& figures, const std::vector<PurchasePlan>& others,
                    const PurchaseLimits& limits, PurchaseObjective objective) {
  constexpr double furthest = 3;
  return is_set(limits, limit_on(objective)) || std::ranges::none_of(others, [&](const PurchasePlan& plan) {
           return !is_open(plan.figures, objective, limits) &&
                  objective_of(figures, objective) > furthest * objective_of(plan.figures, objective);
         });
}

namespace {

bool is_better(const PurchaseFigures& a, const PurchaseFigures& b) {
  const Dollars money = ranked_money(a), other = ranked_money(b);
  const bool as_good = a.time.value <= b.time.value && money <= other && a.power <= b.power;
  return as_good && (a.time.value < b.time.value || money < other || a.power < b.power);
}

}  // namespace

bool dominates(const PurchaseFigures& a, const PurchaseFigures& b) {
  return !a.lower_bound && is_better(a, b);
}

bool dominates(const PurchasePlan& a, const PurchasePlan& b) {
  const bool lack_the_same = a.figures.lower_bound && b.figures.lower_bound && a.machine.node == b.machine.node &&
                             a.machine.variant == b.machine.variant && a.accelerators <= b.accelerators;
  return lack_the_same ? is_better(a.figures, b.figures) : dominates(a.figures, b.figures);
}

std::vector<PurchasePlan> frontier_of(std::vector<PurchasePlan> plans) {
  std::ranges::stable_sort(plans, {},
                           [](const PurchasePlan& plan) { return rank_of(plan.figures, PurchaseObjective::cost, {}); });
  std::vector<PurchasePlan> out;
  for (const PurchasePlan& plan : plans)
    if (std::ranges::none_of(plans, [&](const PurchasePlan& other) { return dominates(other, plan); }))
      out.push_back(plan);
  return out;
}

std::vector<PurchasePlan> best_by_accelerator(std::vector<PurchasePlan> plans, PurchaseObjective objective,
                                              const PurchaseLimits& limits) {
  std::ranges::stable_sort(plans, {},
                           [&](const PurchasePlan& plan) { return rank_of(plan.figures, objective, limits); });
  std::vector<PurchasePlan> out;
  for (PurchasePlan& plan : plans)
    if (std::ranges::find(out, plan.machine.accelerator,
                          [](const PurchasePlan& one) { return one.machine.accelerator; }) == out.end())
      out.push_back(std::move(plan));
  return out;
}

namespace {

double sigma_of(const Interval<Seconds>& time) {
  return time.low > Seconds{} ? std::log(time.high / time.low) / (2 * half_width_90) : 0;
}

}  // namespace

Seconds time_at_chance(const Interval<Seconds>& time, double chance) {
  if (chance == 0.5) return time.value;
  return time.value * std::exp(sigma_of(time) * std::sqrt(2.0) * boost::math::erf_inv(2 * chance - 1));
}

double chance_in_time(const Interval<Seconds>& time, Seconds limit) {
  const double sigma = sigma_of(time);
  if (!(sigma > 0)) return time.value <= limit ? 1 : 0;
  return 0.5 * std::erfc(-std::log(limit / time.value) / sigma / std::sqrt(2.0));
}

double chance_to_fit(const MemoryUse& use, const MemoryRange& range, Bytes capacity) {
  const Bytes counted = use.counted(), beyond = use.total() - counted, room = capacity - counted;
  if (!(room > Bytes{})) return 0;
  if (!(beyond > Bytes{} && range.high > use.total())) return beyond <= room ? 1 : 0;
  const double sigma = std::log((range.high - counted) / beyond) / half_width_90;
  return 0.5 * std::erfc(-std::log(room / beyond) / sigma / std::sqrt(2.0));
}

double runs_to_break_even(double months, double utilisation, Seconds run) {
  return months * month * utilisation / run;
}

}  // namespace clusterwright
