// SPDX-License-Identifier: Apache-2.0
#include "models/procurement/purchase_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "models/job/scenario_loader.hpp"
#include "models/procurement/size_range.hpp"
#include "sim/diagnostic.hpp"
#include "sim/parallel_points.hpp"

namespace clusterwright {

namespace {

constexpr double far_slower = 10;               // a machine so much slower than another one is not followed
constexpr int sizes_without_end = 16;           // rungs that are followed where no target ends the range
constexpr std::size_t most_doublings = 8;       // to about 1,000 nodes: what holds no model there holds none at all
constexpr std::size_t rungs_of_a_doubling = 8;  // usual_sizes() beyond the first ones

/// Range of sizes of one machine that meet the targets.
struct Range {
  std::optional<std::size_t> first;  ///< least size in time
  std::optional<std::size_t> last;   ///< largest size within money, power and racks
};

struct MachineSize {
  std::size_t machine, rung;
};

bool holds(const std::vector<PurchasePlan>& plans, const std::string& accelerator) {
  return std::ranges::any_of(plans, [&](const PurchasePlan& plan) { return plan.machine.accelerator == accelerator; });
}

class PurchaseSearch {
 public:
  explicit PurchaseSearch(const PurchaseRequest& request)
      : request_(request),
        job_(request.job),
        limits_(request.limits),
        objective_(request.objective),
        lines_(request.machines.size()),
        left_out_(request.machines.size()),
        ranges_(request.machines.size()),
        reasons_(request.machines.size()),
        helps_(request.machines.size()),
        promise_(request.machines.size(), std::numeric_limits<double>::infinity()) {
    if (!job_.catalog) job_.catalog = shipped_catalog();
    job_.money.by_run = any_rented(request.machines, *job_.catalog);
  }

  PurchaseAnswer run() {
    for_each(all_machines(), [&](std::size_t i) { open_line(i), count_done(); });
    search();
    PurchaseAnswer out = answer();
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (reasons_[i].empty() && lines_[i]) reasons_[i] = lines_[i]->reason();
    if (out.frontier.empty()) add_misses(out);
    complete(out);
    add_tried(out);
    return out;
  }

 private:
  std::vector<std::size_t> all_machines() const {
    std::vector<std::size_t> all(request_.machines.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// Ranges of all machines under the targets of the moment.
  void search() {
    drop_hopeless();
    std::vector<std::size_t> all = all_machines();
    for_each(all, [&](std::size_t i) { plan_first(i), count_done(); });
    std::ranges::stable_sort(all, {}, [&](std::size_t i) { return promise_[i]; });
    if (objective_ == PurchaseObjective::time && !limits_.time && !request_.keep_slow) leave_out_slow();
    std::vector<std::size_t> leaders, others;  // the most promising machine of each accelerator, and the rest
    for (const std::size_t i : all) (has_leader(leaders, i) ? others : leaders).push_back(i);
    search_all(leaders, others);
  }

  bool takes_part(std::size_t i) const { return lines_[i] && !left_out_[i]; }

  bool stopped() const { return request_.stop && request_.stop(); }

  void for_each(const std::vector<std::size_t>& machines, const std::function<void(std::size_t)>& work) {
    for_each_point(machines, [&](std::size_t i) {
      if (!stopped()) work(i);
    });
  }

  void count_done() {
    const std::lock_guard lock(counting_);
    if (request_.progress && !best_alone_ && !stopped()) request_.progress(++done_);
  }

  SizeRange sizes_of(std::size_t i) { return {*lines_[i], {limits_, objective_, request_.stop}}; }

  void plan_first(std::size_t i) {
    if (!takes_part(i)) return;
    if (const auto& plan = sizes_of(i).first_plan())
      promise_[i] = ranked_money(plan->figures).in(dollar)*plan->figures.time.value.in(second);
  }

  /// Where the shortest run is asked for: leaves out what takes many times as long as another machine within the same
  /// limits.
  void leave_out_slow() {
    std::optional<LongestRun> longest;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i]) continue;
      const std::vector<PurchasePlan> plans = lines_[i]->plans();
      if (plans.empty()) continue;
      const Seconds time = sizes_of(i).time_at_limits(plans.front());
      if (time > Seconds{} && (!longest || far_slower * time < longest->time))
        longest = LongestRun{far_slower * time, time,
                             fmt::format("the time of {} within the same limits", request_.machines[i].accelerator)};
    }
    for (const auto& line : lines_)
      if (line) line->set_longest(longest);
  }

  bool has_leader(const std::vector<std::size_t>& leaders, std::size_t i) const {
    return std::ranges::any_of(leaders, [&](std::size_t other) {
      return request_.machines[other].accelerator == request_.machines[i].accelerator;
    });
  }

  KnownPurchases known() const {
    KnownPurchases out = known_purchases(meeting(limits_), objective_, limits_);
    out.best_alone = best_alone_;
    return out;
  }

  void open_line(std::size_t i) {
    try {
      lines_[i] = std::make_unique<MachineLine>(job_, request_.machines[i], request_.sizes, times());
      lines_[i]->set_longest(longest());
      lines_[i]->set_budget(limits_.money);
    } catch (const ConfigError& error) {
      reasons_[i] = error.diagnostics().front().message;
      helps_[i] = error.diagnostics().front().help;
    }
  }

  /// Leaves out machines that cannot meet time and money even at their peak, unless there are no others.
  void drop_hopeless() {
    std::vector<double> shares(lines_.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i]) shares[i] = least_share(*lines_[i], limits_);
    const double most = std::max(1.0, 2 * *std::ranges::min_element(shares));
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i] && shares[i] > most) {
        left_out_[i] = true;
        reasons_[i] = fmt::format("at its peak the nodes alone would take {:.1f} times the budget", shares[i]);
      }
  }

  /// The two most promising machines in full, then of each other accelerator the most promising one, then the others:
  /// what is known by then spares sizes.
  void search_all(const std::vector<std::size_t>& leaders, const std::vector<std::size_t>& others) {
    constexpr std::ptrdiff_t at_once = 2;
    const auto rest = leaders.begin() + std::min(at_once, std::ssize(leaders));
    search_group({leaders.begin(), rest});
    search_group({rest, leaders.end()});
    search_group(others);
  }

  void search_group(const std::vector<std::size_t>& machines) {
    const KnownPurchases before = known();
    for_each(machines, [&](std::size_t i) {
      find_best_end(i, before);
      if (!best_alone_) find_other_end(i, before);
    });
    fill(machines);
  }

  /// Begins a search for the best purchase alone, without one of the targets. What that target was, and what was
  /// planned for it, changes nothing in it.
  void release(PurchaseLimit dropped) {
    limits_ = without(request_.limits, dropped);
    objective_ = objective_on(dropped);
    best_alone_ = true;
    for (const auto& line : lines_)
      if (line) line->start_over(longest(), limits_.money);
    left_out_.assign(lines_.size(), false);
    ranges_.assign(lines_.size(), {});
    promise_.assign(lines_.size(), std::numeric_limits<double>::infinity());
  }

  /// The best of the plans without one of the targets: the least in what was dropped, then the cheapest. Plans that
  /// missing prices leave open come last.
  std::optional<NearestMiss> nearest_without(PurchaseLimit dropped) {
    release(dropped);
    if (!has_target(limits_) && dropped == PurchaseLimit::time)
      approach_time();
    else if (limits_.time || objective_ == PurchaseObjective::time)
      search();
    else
      for_each(all_machines(), [&](std::size_t i) { plan_smallest(i); });
    std::vector<PurchasePlan> plans = meeting(limits_);
    const auto least = std::ranges::min_element(plans, {}, [&](const PurchasePlan& plan) {
      return std::tuple(is_open(plan.figures, objective_, limits_), used_share(plan.figures, request_.limits, dropped),
                        ranked_money(plan.figures));
    });
    return least == plans.end() ? std::nullopt : std::optional(NearestMiss{dropped, *least});
  }

  /// Where the time is the only target, nothing ends the sizes: they grow toward it until they come no closer.
  void approach_time() {
    limits_ = request_.limits;
    for_each(all_machines(), [&](std::size_t i) {
      if (lines_[i]) find_end(i, SizeEnd::least_in_time, {});
    });
    limits_.time.reset();
  }

  /// The smallest size that holds the job, which is the cheapest and takes the least power where no time is asked for.
  void plan_smallest(std::size_t i) {
    if (!lines_[i]) return;
    const std::size_t end = lines_[i]->sizes().size();
    std::size_t rung = 0;
    const std::size_t furthest = std::min(end, rungs_of_a_doubling * most_doublings);
    while (rung < furthest && !stopped() && lines_[i]->at(rung).obstacle == Obstacle::too_small)
      rung += rungs_of_a_doubling;
    rung = std::min(rung, end - 1);
    for (std::size_t below = rung + 1; below-- > 0 && !stopped();)
      if (const Obstacle found = lines_[i]->at(below).obstacle;
          found == Obstacle::too_small || found == Obstacle::unsuited)
        break;
  }

  void find_best_end(std::size_t i, const KnownPurchases& known) {
    if (!takes_part(i)) return;
    find_end(i, sizes_of(i).best_end(), known);
    if (objective_ == PurchaseObjective::time && ranges_[i].last) plan_below(i, *ranges_[i].last);
  }

  /// A smaller machine can be the faster one where its number has better divisors.
  void plan_below(std::size_t i, std::size_t rung) {
    const auto& best = lines_[i]->at(rung).plan;
    while (rung > 0 && best && !stopped()) {
      const auto& below = lines_[i]->at(--rung).plan;
      if (!below || below->figures.time.value >= best->figures.time.value) break;
    }
  }

  void find_other_end(std::size_t i, const KnownPurchases& known) {
    if (takes_part(i)) find_end(i, sizes_of(i).other_end(), known);
  }

  void find_end(std::size_t i, SizeEnd end, const KnownPurchases& known) {
    (end == SizeEnd::least_in_time ? ranges_[i].first : ranges_[i].last) = sizes_of(i).find(end, known);
  }

  /// Sizes between the ends that may be better than what is known.
  void fill(const std::vector<std::size_t>& machines) {
    std::vector<MachineSize> wanted;
    do {
      const KnownPurchases known = this->known();
      wanted.clear();
      for (const std::size_t i : machines) add_wanted(i, known, wanted);
      for_each_point(last_first(wanted.size()), [&](std::size_t k) {
        if (!stopped()) lines_[wanted[k].machine]->at(wanted[k].rung);
      });
    } while (!wanted.empty() && !stopped());
    for ([[maybe_unused]] const std::size_t i : machines) count_done();
  }

  void add_wanted(std::size_t i, const KnownPurchases& known, std::vector<MachineSize>& out) {
    if (!takes_part(i)) return;
    const Range& range = ranges_[i];
    const SizeRange sizes = sizes_of(i);
    const auto missing = [&](SizeEnd end, const std::optional<std::size_t>& found) {
      return sizes.is_limited(end) && !found && (!best_alone_ || end == sizes.best_end());
    };
    if (missing(SizeEnd::least_in_time, range.first) || missing(SizeEnd::largest_within, range.last)) return;
    const std::size_t end = lines_[i]->sizes().size() - 1;
    const std::size_t last = range.last.value_or(std::min(end, range.first.value_or(0) + sizes_without_end));
    const std::size_t first = range.first.value_or(last > sizes_without_end ? last - sizes_without_end : 0);
    for (std::size_t rung = 0; rung <= last; ++rung) {
      if (lines_[i]->is_planned(rung)) continue;
      // Below the least size in time another one with better divisors may be in time too.
      if (rung < first ? range.first && sizes.may_lead(rung, known) : sizes.may_be_on_frontier(rung, known))
        out.push_back({i, rung});
    }
  }

  std::vector<PurchasePlan> meeting(const PurchaseLimits& limits) const {
    std::vector<PurchasePlan> out;
    for (const auto& line : lines_)
      if (line)
        for (PurchasePlan& plan : line->plans())
          if (meets(plan.figures, limits)) out.push_back(std::move(plan));
    return out;
  }

  /// Run that no target of the time grants: typical times are at most those that a chance of a half and more asks for.
  std::optional<LongestRun> longest() const {
    if (!limits_.time || limits_.chance < 0.5) return {};
    const Seconds time = *limits_.time;
    return LongestRun{time, time, fmt::format("the {:.6g} days", time.in(day))};
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
    const std::vector<PurchasePlan> good = meeting(request_.limits);
    out.frontier = frontier_of(good);
    std::erase_if(out.frontier, [&](const PurchasePlan& plan) {
      return !is_of_interest(plan.figures, good, request_.limits, request_.objective);
    });
    out.by_accelerator = best_by_accelerator(good, request_.objective, request_.limits);
    return out;
  }

  /// What was planned, and what was not for which reason.
  void add_tried(PurchaseAnswer& out) const {
    out.interrupted = stopped();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t plans = lines_[i] ? lines_[i]->planned() : 0;
      out.planned += plans;
      if (plans > 0 && !holds(out.by_accelerator, request_.machines[i].accelerator) &&
          std::ranges::find(out.beyond, request_.machines[i].accelerator) == out.beyond.end())
        out.beyond.push_back(request_.machines[i].accelerator);
      if (plans == 0 && !out.interrupted) out.refused.push_back({request_.machines[i], reasons_[i]});
    }
    if (out.planned == 0 && !out.interrupted && !out.refused.empty()) refuse(out.refused.front());
  }

  [[noreturn]] void refuse(const RefusedMachine& first) const {
    const auto place = std::ranges::find(request_.machines, first.machine) - request_.machines.begin();
    const std::string& help = helps_[static_cast<std::size_t>(place)];
    throw ConfigError(
        {"E0369",
         fmt::format("no machine can be planned: {}: {}", first.machine.node, first.reason),
         {},
         "",
         help.empty() ? "choose other machines with --on, other numbers with --gpus, or another model" : help});
  }

  /// The time comes last: only then runs longer than the days are planned, which no other search may see.
  void add_misses(PurchaseAnswer& out) {
    for (const PurchaseLimit limit :
         {PurchaseLimit::money, PurchaseLimit::power, PurchaseLimit::racks, PurchaseLimit::time}) {
      if (!is_set(request_.limits, limit) || stopped()) continue;
      if (auto miss = nearest_without(limit)) out.misses.push_back(*std::move(miss));
    }
    std::ranges::stable_sort(out.misses, {}, &NearestMiss::dropped);
  }

  const PurchaseRequest& request_;
  PurchaseJob job_;
  PurchaseLimits limits_;  // of the search of the moment
  PurchaseObjective objective_;
  bool best_alone_ = false;  // only the best purchase is looked for, not the frontier
  std::vector<std::unique_ptr<MachineLine>> lines_;
  std::vector<char> left_out_;  // of the search of the moment
  std::vector<Range> ranges_;
  std::vector<std::string> reasons_, helps_;  // of machines without a plan
  std::vector<double> promise_;               // dollars times seconds of the first plan: the less the better
  std::mutex counting_;
  std::size_t done_ = 0;
};

}  // namespace

PurchaseAnswer search_purchases(const PurchaseRequest& request) {
  return PurchaseSearch(request).run();
}

}  // namespace clusterwright
