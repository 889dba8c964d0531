// SPDX-License-Identifier: Apache-2.0
#include "models/procurement/purchase_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "sim/diagnostic.hpp"
#include "sim/parallel_points.hpp"

namespace clusterwright {

namespace {

constexpr double first_guess = 0.33, first_guess_fp8 = 0.22;  // of the peak, where nothing is known of a machine
constexpr double extrapolation = 0.92;  // of what linear growth from a smaller size gives: it may be better by so much
constexpr double hopeless = 3;          // a machine so far beyond a target is not followed further
constexpr int most_tries = 12;
constexpr int most_failures = 4;           // sizes in a row without a plan
constexpr std::size_t first_machines = 8;  // that are searched before the others are held against them
constexpr int sizes_without_end = 16;      // rungs that are followed where no target ends the range

/// Range of sizes of one machine that meet the targets.
struct Range {
  std::optional<std::size_t> first;  ///< least size in time
  std::optional<std::size_t> last;   ///< largest size within money, power and racks
};

/// Largest share of the limits that grow with the size.
double used_by_size(const PurchaseFigures& figures, const PurchaseLimits& limits) {
  return std::max({used_share(figures, limits, PurchaseLimit::money), used_share(figures, limits, PurchaseLimit::power),
                   used_share(figures, limits, PurchaseLimit::racks)});
}

/// Accelerators that would do the work in time if multiplies ran at the peak and nothing else took any.
double accelerators_at_peak(const MachineLine& line, Seconds time) {
  const Scenario& s = line.scenario();
  const double flops = 6 * active_parameters(s.transformer) * static_cast<double>(s.job.tokens.value_or(0));
  return flops / (line.peak_rate().in(teraflop_per_second)*1e12 * time.in(second));
}

/// Money for those over the budget: above 1 the machine cannot meet both targets.
double least_share(const MachineLine& line, const PurchaseLimits& limits) {
  const std::optional<Dollars> each = line.least_price();
  if (!limits.time || !limits.money || !each) return 0;
  return accelerators_at_peak(line, *limits.time) * (*each / *limits.money);
}

class LineSearch {
 public:
  LineSearch(MachineLine& line, const PurchaseRequest& request) : line_(line), request_(request) {}

  /// One plan, near the size that the time asks for.
  const std::optional<PurchasePlan>& first_plan() { return plan_at(start()); }

  Range run() {
    Range range;
    if (request_.limits.time) range.first = least_in_time();
    if (request_.limits.money || request_.limits.power || request_.limits.racks) range.last = largest_within();
    return range;
  }

 private:
  bool stopped() const { return request_.stop && request_.stop(); }
  const std::optional<PurchasePlan>& plan_at(std::size_t rung) { return line_.at(rung).plan; }
  std::size_t last_rung() const { return line_.sizes().size() - 1; }

  /// Rung to start at: the time target at a usual share of the peak; else the middle.
  std::size_t start() const {
    if (!request_.limits.time) return std::min<std::size_t>(last_rung(), line_.sizes().size() / 3);
    const double usual = line_.machine().precision.starts_with("fp8") ? first_guess_fp8 : first_guess;
    return std::min(last_rung(), line_.rung_of(accelerators_at_peak(line_, *request_.limits.time) / usual));
  }

  /// Bisection between a rung that fails and one that passes, with guesses from the shares used so far.
  /// @param passes  of a plan; monotone in the size
  /// @param guess   factor on the accelerators at which the plan would just pass
  template <class Passes, class Guess>
  std::optional<std::size_t> edge(bool upward, const Passes& passes, const Guess& guess) {
    // Rungs from `low` down are on one side, from `high` up on the other.
    std::ptrdiff_t low = -1, high = static_cast<std::ptrdiff_t>(line_.sizes().size());
    std::ptrdiff_t next = static_cast<std::ptrdiff_t>(start());
    int failures = 0;
    for (int tries = 0; tries < most_tries && low + 1 < high && !stopped(); ++tries) {
      next = std::clamp(next, low + 1, high - 1);
      const auto& plan = plan_at(static_cast<std::size_t>(next));
      failures = plan ? 0 : failures + 1;
      if (failures == most_failures || (upward && plan && is_hopeless(*plan))) return {};
      // Too small to hold the model: larger ones may.
      const bool too_large = line_.at(static_cast<std::size_t>(next)).too_large;
      const bool is_low = plan ? passes(*plan) != upward : !too_large;
      (is_low ? low : high) = next;
      const double wanted = line_.sizes()[static_cast<std::size_t>(next)] * (plan ? guess(*plan) : too_large ? 0.5 : 2);
      next = static_cast<std::ptrdiff_t>(line_.rung_of(wanted)) - (upward ? 0 : 1);
      if (tries > 3) next = (low + high) / 2;
    }
    const std::ptrdiff_t found = upward ? high : low;
    if (found < 0 || found > static_cast<std::ptrdiff_t>(last_rung())) return {};
    const auto& plan = plan_at(static_cast<std::size_t>(found));
    return plan && passes(*plan) ? std::optional(static_cast<std::size_t>(found)) : std::nullopt;
  }

  /// Whether the size that is in time would take far more than the others grant, even if it grew linearly.
  bool is_hopeless(const PurchasePlan& plan) const {
    return used_share(plan.figures, request_.limits, PurchaseLimit::time) *
               used_by_size(plan.figures, request_.limits) >
           hopeless;
  }

  std::optional<std::size_t> least_in_time() {
    return edge(
        true, [&](const PurchasePlan& p) { return used_share(p.figures, request_.limits, PurchaseLimit::time) <= 1; },
        [&](const PurchasePlan& p) { return used_share(p.figures, request_.limits, PurchaseLimit::time); });
  }

  std::optional<std::size_t> largest_within() {
    return edge(
        false, [&](const PurchasePlan& p) { return used_by_size(p.figures, request_.limits) <= 1; },
        [&](const PurchasePlan& p) { return 1 / used_by_size(p.figures, request_.limits); });
  }

  MachineLine& line_;
  const PurchaseRequest& request_;
};

/// Figures that a size cannot beat if it grows at best linearly from planned ones.
PurchaseFigures optimistic(const PurchasePlan& from, int accelerators) {
  const double factor = static_cast<double>(accelerators) / from.accelerators;
  PurchaseFigures out = from.figures;
  out.time = out.time.times(extrapolation / factor);
  out.money.value = out.money.value * (extrapolation * factor);
  out.power = out.power * (extrapolation * factor);
  out.racks = static_cast<int>(out.racks * extrapolation * factor);
  return out;
}

bool holds(const std::vector<PurchasePlan>& plans, const std::string& accelerator) {
  return std::ranges::any_of(plans, [&](const PurchasePlan& plan) { return plan.machine.accelerator == accelerator; });
}

class PurchaseSearch {
 public:
  explicit PurchaseSearch(const PurchaseRequest& request)
      : request_(request),
        lines_(request.machines.size()),
        ranges_(request.machines.size()),
        reasons_(request.machines.size()),
        promise_(request.machines.size(), std::numeric_limits<double>::infinity()) {}

  PurchaseAnswer run() {
    std::vector<std::size_t> all(request_.machines.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for_each(all, [&](std::size_t i) { open_line(i); });
    drop_hopeless();
    for_each(all, [&](std::size_t i) { plan_first(i); });
    std::ranges::stable_sort(all, {}, [&](std::size_t i) { return promise_[i]; });
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(first_machines, all.size()));
    search({all.begin(), middle});
    search({middle, all.end()});
    return answer();
  }

 private:
  bool stopped() const { return request_.stop && request_.stop(); }

  void for_each(const std::vector<std::size_t>& machines, const std::function<void(std::size_t)>& work) {
    for_each_point(machines, [&](std::size_t i) {
      if (stopped()) return;
      work(i);
      const std::lock_guard lock(counting_);
      if (request_.progress) request_.progress(++done_);
    });
  }

  void plan_first(std::size_t i) {
    if (!lines_[i]) return;
    if (const auto& plan = LineSearch(*lines_[i], request_).first_plan())
      promise_[i] = plan->figures.money.value.in(dollar)*plan->figures.time.value.in(second);
  }

  /// Ranges of some machines, and what lies between their ends.
  void search(const std::vector<std::size_t>& machines) {
    for_each(machines, [&](std::size_t i) { search_range(i); });
    const std::vector<PurchasePlan> found = frontier_of(meeting(request_.limits));
    for_each(machines, [&](std::size_t i) { fill_range(i, found); });
  }

  void open_line(std::size_t i) {
    try {
      lines_[i] = std::make_unique<MachineLine>(request_.job, request_.machines[i], request_.sizes, times());
    } catch (const ConfigError& error) {
      reasons_[i] = error.diagnostics().front().message;
    }
  }

  /// Leaves out machines that cannot meet time and money even at their peak, unless there are no others.
  void drop_hopeless() {
    std::vector<double> shares(lines_.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i]) shares[i] = least_share(*lines_[i], request_.limits);
    const double most = std::max(1.0, 2 * *std::ranges::min_element(shares));
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i] && shares[i] > most) {
        lines_[i].reset();
        reasons_[i] = fmt::format("at its peak the nodes alone would take {:.1f} times the budget", shares[i]);
      }
  }
  void search_range(std::size_t i) {
    if (lines_[i]) ranges_[i] = LineSearch(*lines_[i], request_).run();
  }

  /// Sizes between the ends that may be better than what was found.
  void fill_range(std::size_t i, const std::vector<PurchasePlan>& found) {
    if (!lines_[i]) return;
    MachineLine& line = *lines_[i];
    const Range& range = ranges_[i];
    const bool wants_first = request_.limits.time.has_value();
    const bool wants_last = request_.limits.money || request_.limits.power || request_.limits.racks;
    if ((wants_first && !range.first) || (wants_last && !range.last)) return;
    const std::size_t end = line.sizes().size() - 1;
    std::size_t last = range.last.value_or(std::min(end, range.first.value_or(0) + sizes_without_end));
    const std::size_t first = range.first.value_or(last > sizes_without_end ? last - sizes_without_end : 0);
    for (std::size_t rung = first; rung <= last && !stopped(); ++rung)
      if (may_help(line, rung, found)) line.at(rung);
  }

  bool may_help(const MachineLine& line, std::size_t rung, const std::vector<PurchasePlan>& found) const {
    const std::vector<PurchasePlan> own = line.plans();
    // Those that run best for their size say how well another one may run.
    return std::ranges::any_of(own, [&](const PurchasePlan& plan) {
      const PurchaseFigures best = optimistic(plan, line.sizes()[rung]);
      return meets(best, request_.limits) &&
             std::ranges::none_of(found, [&](const PurchasePlan& other) { return dominates(other.figures, best); });
    });
  }

  std::vector<PurchasePlan> meeting(const PurchaseLimits& limits) const {
    std::vector<PurchasePlan> out;
    for (const auto& line : lines_)
      if (line)
        for (PurchasePlan& plan : line->plans())
          if (meets(plan.figures, limits)) out.push_back(std::move(plan));
    return out;
  }

  /// Only a chance to be in time is judged by an interval.
  RunTimes times() const {
    const bool by_chance = request_.limits.time && request_.limits.chance != 0.5;
    return by_chance ? RunTimes::with_intervals : RunTimes::typical;
  }

  /// Whole intervals of the plans that an answer shows.
  void complete(PurchaseAnswer& out) const {
    std::vector<PurchasePlan*> shown;
    for (PurchasePlan& plan : out.frontier) shown.push_back(&plan);
    for (PurchasePlan& plan : out.by_accelerator) shown.push_back(&plan);
    for (NearestMiss& miss : out.misses) shown.push_back(&miss.plan);
    for_each_point(last_first(shown.size()), [&](std::size_t i) {
      const auto machine = std::ranges::find(request_.machines, shown[i]->machine) - request_.machines.begin();
      *shown[i] = lines_[static_cast<std::size_t>(machine)]->completed(std::move(*shown[i]));
    });
  }

  PurchaseAnswer answer() const {
    PurchaseAnswer out;
    out.interrupted = stopped();
    const std::vector<PurchasePlan> good = meeting(request_.limits);
    out.frontier = frontier_of(good);
    out.by_accelerator = best_by_accelerator(good, request_.objective);
    if (out.frontier.empty()) add_misses(out);
    complete(out);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t plans = lines_[i] ? lines_[i]->plans().size() : 0;
      out.planned += plans;
      if (plans > 0 && !holds(out.by_accelerator, request_.machines[i].accelerator) &&
          std::ranges::find(out.beyond, request_.machines[i].accelerator) == out.beyond.end())
        out.beyond.push_back(request_.machines[i].accelerator);
      if (plans == 0 && !out.interrupted) out.refused.push_back({request_.machines[i], reason_of(i)});
    }
    if (out.planned == 0 && !out.interrupted && !out.refused.empty())
      throw ConfigError({"E0369",
                         "no machine can be planned: " + out.refused.front().reason,
                         {},
                         "",
                         "name machines with --on, and a model that they hold"});
    return out;
  }

  std::string reason_of(std::size_t i) const { return lines_[i] ? lines_[i]->reason() : reasons_[i]; }

  void add_misses(PurchaseAnswer& out) const {
    constexpr PurchaseLimit dropped[] = {PurchaseLimit::time, PurchaseLimit::money, PurchaseLimit::power,
                                         PurchaseLimit::racks};
    for (const PurchaseLimit limit : dropped) {
      std::vector<PurchasePlan> plans = meeting(without(request_.limits, limit));
      const auto least = std::ranges::min_element(
          plans, {}, [&](const PurchasePlan& plan) { return used_share(plan.figures, request_.limits, limit); });
      if (least != plans.end()) out.misses.push_back({limit, *least});
    }
  }

  const PurchaseRequest& request_;
  std::vector<std::unique_ptr<MachineLine>> lines_;
  std::vector<Range> ranges_;
  std::vector<std::string> reasons_;
  std::vector<double> promise_;  // dollars times seconds of the first plan: the less the better
  std::mutex counting_;
  std::size_t done_ = 0;
};

}  // namespace

PurchaseAnswer search_purchases(const PurchaseRequest& request) {
  return PurchaseSearch(request).run();
}

}  // namespace clusterwright
