// SPDX-License-Identifier: Apache-2.0
#include "models/procurement/size_range.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

constexpr double first_guess = 0.33, first_guess_fp8 = 0.22;  // of the peak, where nothing is known of a machine
constexpr double usual_price = 1.3;                           // of a machine, over its nodes alone
constexpr double usual_power = 1.7;                           // from the grid, over the rating of its accelerators
constexpr double extrapolation = 0.92;  // of what linear growth from a smaller size gives: it may be better by so much
constexpr double hopeless = 3;          // a machine so far beyond a target is not followed further
constexpr double of_interest = 3;       // times the shortest run, where the shortest is asked for
constexpr int most_tries = 12;
constexpr int most_failures = 4;         // sizes in a row without a plan
constexpr std::size_t enough_plans = 2;  // of a machine, to judge its other sizes by

/// Largest share of the limits other than the time.
double used_beside_time(const PurchaseFigures& figures, const PurchaseLimits& limits) {
  return std::max({used_share(figures, limits, PurchaseLimit::money), used_share(figures, limits, PurchaseLimit::power),
                   used_share(figures, limits, PurchaseLimit::racks)});
}

/// Accelerators that would do the work in time if multiplies ran at the peak and nothing else took any.
double accelerators_at_peak(const MachineLine& line, Seconds time) {
  const Scenario& s = line.scenario();
  const double flops = 6 * active_parameters(s.transformer) * static_cast<double>(s.job.tokens.value_or(0));
  return flops / (line.peak_rate().in(teraflop_per_second)*1e12 * time.in(second));
}

/// Figures that a size cannot beat if it grows at best linearly from planned ones.
PurchasePlan optimistic(const PurchasePlan& from, int accelerators, bool by_time) {
  const double factor = static_cast<double>(accelerators) / from.accelerators;
  PurchasePlan plan = from;
  PurchaseFigures& out = plan.figures;
  out.time = out.time.times(extrapolation / factor);
  out.money.value = out.money.value * (extrapolation * factor);
  out.power = out.power * (extrapolation * factor);
  // Accelerator-hours stay where the work does; at a stated time they grow with the accelerators.
  out.run = out.run * (extrapolation * (by_time ? factor : extrapolation));
  out.racks = static_cast<int>(out.racks * extrapolation * factor);
  plan.accelerators = accelerators;
  return plan;
}

bool must_shrink(const SizedOption& option) {
  return option.obstacle == Obstacle::too_large || option.obstacle == Obstacle::too_dear;
}

}  // namespace

double least_share(const MachineLine& line, const PurchaseLimits& limits) {
  const std::optional<Dollars> each = line.least_price();
  if (!limits.time || !limits.money || !each) return 0;
  return accelerators_at_peak(line, *limits.time) * (*each / *limits.money);
}

KnownPurchases known_purchases(std::vector<PurchasePlan> plans, PurchaseObjective objective,
                               const PurchaseLimits& limits) {
  KnownPurchases out;
  for (const PurchasePlan& plan : plans) {
    const PurchaseRank rank = rank_of(plan.figures, objective, limits);
    const auto [least, is_new] = out.least.try_emplace(plan.machine.accelerator, rank);
    if (!is_new && rank < least->second) least->second = rank;
  }
  out.frontier = frontier_of(std::move(plans));
  return out;
}

std::optional<PurchaseRank> KnownPurchases::to_beat(const std::string& accelerator) const {
  if (best_alone) {
    const auto best = std::ranges::min_element(least, {}, [](const auto& known) { return known.second; });
    return best == least.end() ? std::nullopt : std::optional(best->second);
  }
  const auto found = least.find(accelerator);
  return found == least.end() ? std::nullopt : std::optional(found->second);
}

bool SizeRange::is_limited(SizeEnd end) const {
  const PurchaseLimits& limits = question_.limits;
  return end == SizeEnd::least_in_time ? limits.time.has_value() : limits.money || limits.power || limits.racks;
}

std::optional<std::size_t> SizeRange::find(SizeEnd end, const KnownPurchases& known) {
  if (!is_limited(end)) return {};
  const auto time = [&](const PurchasePlan& p) { return used_share(p.figures, question_.limits, PurchaseLimit::time); };
  const auto rest = [&](const PurchasePlan& p) { return used_beside_time(p.figures, question_.limits); };
  if (end == SizeEnd::least_in_time)
    return edge(
        end, known, [&](const PurchasePlan& p) { return time(p) <= 1; }, time);
  return edge(
      end, known, [&](const PurchasePlan& p) { return rest(p) <= 1; },
      [&](const PurchasePlan& p) {
        if (spends_by_size(p)) return 1 / rest(p);
        return rest(p) > 1 ? 0.5 : 2;
      });
}

/// Whether the money that a budget has to cover grows with the size: rent for a given work hardly does.
bool SizeRange::spends_by_size(const PurchasePlan& plan) const {
  return !plan.figures.rented || line_.money().paid_time || !question_.limits.money;
}

/// Largest share of the limits that grow with the size.
double SizeRange::used_by_size(const PurchasePlan& plan) const {
  PurchaseLimits limits = question_.limits;
  if (!spends_by_size(plan)) limits.money.reset();
  return used_beside_time(plan.figures, limits);
}

/// Accelerators that a usual machine has within the money and the power; none where neither is a target.
std::optional<double> SizeRange::usual_within() const {
  const PurchaseLimits& limits = question_.limits;
  const std::optional<Dollars> each = line_.least_price();
  std::optional<double> out;
  if (limits.money && each) out = *limits.money / *each / usual_price;
  if (!limits.power) return out;
  const double powered = *limits.power / line_.scenario().cluster.accelerator.power.value / usual_power;
  return std::min(out.value_or(powered), powered);
}

/// Rung to start at: the time target at a usual share of the peak, else what the others grant; else the middle.
std::size_t SizeRange::start() const {
  if (!question_.limits.time) {
    const std::optional<double> within = usual_within();
    return std::min(last_rung(), within ? line_.rung_of(*within) : line_.sizes().size() / 3);
  }
  const double usual = line_.machine().precision.starts_with("fp8") ? first_guess_fp8 : first_guess;
  return std::min(last_rung(), line_.rung_of(accelerators_at_peak(line_, *question_.limits.time) / usual));
}

/// Bisection between a rung that fails and one that passes, with guesses from the shares used so far. As long as no
/// rung is too large it goes up in widening steps, since the largest ones take minutes.
/// @param passes  of a plan; monotone in the size
/// @param guess   factor on the accelerators at which the plan would just pass
template <class Passes, class Guess>
std::optional<std::size_t> SizeRange::edge(SizeEnd end, const KnownPurchases& known, const Passes& passes,
                                           const Guess& guess) {
  const bool upward = end == SizeEnd::least_in_time;
  // Rungs from `low` down are on one side, from `high` up on the other.
  std::ptrdiff_t low = -1, high = static_cast<std::ptrdiff_t>(line_.sizes().size());
  std::ptrdiff_t next = static_cast<std::ptrdiff_t>(start());
  int failures = 0;
  for (int tries = 0; tries < most_tries && low + 1 < high && !stopped(); ++tries) {
    if (!any_may_help(end, known)) return {};
    next = std::clamp(next, low + 1, high - 1);
    const SizedOption& option = line_.at(static_cast<std::size_t>(next));
    if (option.obstacle == Obstacle::unsuited) return {};
    const auto& plan = option.plan;
    failures = plan || option.least_time ? 0 : failures + 1;
    if (failures == most_failures || (upward && is_hopeless(option, line_.sizes()[static_cast<std::size_t>(next)])))
      return {};
    const bool is_low = plan ? passes(*plan) != upward : !must_shrink(option);
    (is_low ? low : high) = next;
    const double wanted =
        line_.sizes()[static_cast<std::size_t>(next)] * (plan ? guess(*plan) : growth_without_plan(option));
    next = static_cast<std::ptrdiff_t>(line_.rung_of(wanted)) - (upward ? 0 : 1);
    const bool ends = high <= static_cast<std::ptrdiff_t>(last_rung());
    if (tries > 3) next = ends ? (low + high) / 2 : low + (std::ptrdiff_t{1} << (tries - 3));
  }
  const std::ptrdiff_t found = upward ? high : low;
  if (found < 0 || found > static_cast<std::ptrdiff_t>(last_rung())) return {};
  const auto& plan = plan_at(static_cast<std::size_t>(found));
  return plan && passes(*plan) ? std::optional(static_cast<std::size_t>(found)) : std::nullopt;
}

Seconds SizeRange::time_at_limits(const PurchasePlan& plan) const {
  return plan.figures.time.value * used_by_size(plan);
}

/// Factor on the accelerators of a size without a plan: one that is too slow grows to its bound at best, and one that
/// is too small for the model to an unknown size.
double SizeRange::growth_without_plan(const SizedOption& option) const {
  if (option.least_time && question_.limits.time) return std::max(1.0, *option.least_time / *question_.limits.time);
  return must_shrink(option) ? 0.5 : 2;
}

/// Whether the size that is in time would take far more than the others grant, even if it grew linearly.
bool SizeRange::is_hopeless(const SizedOption& option, int accelerators) const {
  const PurchaseLimits& limits = question_.limits;
  if (option.plan)
    return used_share(option.plan->figures, limits, PurchaseLimit::time) * used_by_size(*option.plan) > hopeless;
  const std::optional<Dollars> each = line_.least_price();
  if (!option.least_time || !limits.time || !limits.money || !each) return false;
  return *option.least_time / *limits.time * (accelerators * *each / *limits.money) > hopeless;
}

/// Whether the figures that a size cannot beat, by one of the plans, meet the targets and are wanted.
template <class Wanted>
bool SizeRange::may_be(std::size_t rung, const Wanted& wanted) const {
  // Those that run best for their size say how well another one may run.
  const std::vector<PurchasePlan> own = line_.plans();
  return std::ranges::any_of(own, [&](const PurchasePlan& plan) {
    const PurchasePlan best = optimistic(plan, line_.sizes()[rung], line_.money().paid_time.has_value());
    return meets(best.figures, question_.limits) && wanted(best);
  });
}

bool SizeRange::may_be_on_frontier(std::size_t rung, const KnownPurchases& known) const {
  if (known.best_alone) return may_lead(rung, known);
  return may_be(rung, [&](const PurchasePlan& plan) {
    return is_of_interest(plan.figures, known.frontier, question_.limits, question_.objective) &&
           std::ranges::none_of(known.frontier, [&](const PurchasePlan& other) { return dominates(other, plan); });
  });
}

bool SizeRange::may_lead(std::size_t rung, const KnownPurchases& known) const {
  const std::optional<PurchaseRank> least = known.to_beat(line_.machine().accelerator);
  return may_be(rung, [&](const PurchasePlan& plan) {
    return !least || rank_of(plan.figures, question_.objective, question_.limits) < *least;
  });
}

bool SizeRange::any_may_help(SizeEnd end, const KnownPurchases& known) const {
  if (known.frontier.empty() || line_.plans().size() < enough_plans) return true;
  for (std::size_t rung = 0; rung <= last_rung(); ++rung)
    if ((end == best_end() && may_lead(rung, known)) || may_be_on_frontier(rung, known)) return true;
  return false;
}

}  // namespace clusterwright
