// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/shared_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/sizing/fewer_nodes.hpp"
#include "models/site/sizing/power_budgets.hpp"
#include "sim/diagnostic.hpp"
#include "sim/parallel_points.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

constexpr int curve_points = 9;
constexpr int refinements = 2;
constexpr double refined = 0.02;       // of a limit, either way
constexpr double unused_share = 1e-3;  // of a budget may stay unused
constexpr int most_trials = 8;

/// To hundredths of a watt, which a command line can repeat.
Watts rounded(Watts limit) {
  return std::floor(100 * limit.in(watt)) / 100 * watt;
}

class PowerSharing {
 public:
  PowerSharing(const std::vector<SharingJob>& jobs, Watts budget, const std::function<void()>& progress)
      : jobs_(jobs), budget_(budget), progress_(progress), free_(jobs.size()), curves_(jobs.size()) {}

  SharedPower share() {
    for_each_point(last_first(jobs_.size()), [&](std::size_t i) { free_[i] = planned(jobs_[i], rating(i)); });
    draw_curves();
    SharedPower out;
    for (const PowerCurve& curve : curves_) out.free += curve.free(), out.least += curve.least();
    if (budget_ < out.least) refuse(out.least);
    if (budget_ < out.free) {
      out.divisions = {held(PowerDivision::proportional), held(PowerDivision::equal)};
      out.divisions.insert(out.divisions.begin(), best_division(out.divisions));
      out.fewer = on_fewer_nodes(jobs_, curves_, free_, budget_, progress_);
    } else {
      out.divisions.push_back(unlimited());
    }
    out.curves = std::move(curves_);
    return out;
  }

 private:
  Watts rating(std::size_t job) const { return jobs_[job].scenario.cluster.accelerator.limit_or_rating(); }

  SitedStep planned(const SharingJob& job, Watts limit) const {
    Scenario scenario = job.scenario;
    limit_accelerators(scenario.cluster, limit);
    SitedStep out = job.site.plan(scenario);
    if (progress_) progress_();
    return out;
  }

  PowerPoint point(std::size_t job, Watts limit) const { return point_of(job, limit, planned(jobs_[job], limit)); }

  PowerPoint point_of(std::size_t job, Watts limit, const SitedStep& sited) const {
    return {limit, sited.plan.hot_mean->facility, speed(job, sited)};
  }

  double speed(std::size_t job, const SitedStep& sited) const {
    return sited.step.tokens_per_second / free_[job].step.tokens_per_second;
  }

  void draw_curves() {
    std::vector<std::vector<PowerPoint>> points(jobs_.size(), std::vector<PowerPoint>(curve_points));
    for_each_point(last_first(jobs_.size() * curve_points), [&](std::size_t i) {
      const std::size_t job = i / curve_points, place = i % curve_points;
      const Watts least = lowest_limit(jobs_[job].scenario), step = (rating(job) - least) / (curve_points - 1);
      points[job][place] = place + 1 == curve_points ? point_of(job, rating(job), free_[job])
                                                     : point(job, least + static_cast<double>(place) * step);
    });
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      curves_[job] = {1.0 * free_[job].step.accelerators, jobs_[job].weight, std::move(points[job])};
      put_in_order(curves_[job].points);
    }
  }

  /// By power, without limits that save none: those that cannot be held, or lose speed below a better point.
  static void put_in_order(std::vector<PowerPoint>& points) {
    const PowerPoint free = *std::ranges::max_element(points, {}, &PowerPoint::limit);
    std::erase_if(points, [&](const PowerPoint& point) { return point.drawn >= free.drawn; });
    std::ranges::stable_sort(points, {}, &PowerPoint::drawn);
    double best = 0;
    std::erase_if(points, [&](const PowerPoint& point) {
      const bool loses = point.speed < best;
      best = std::max(best, point.speed);
      return loses;
    });
    points.push_back(free);
  }

  /// A job whose speed grows no more with power has no limit either: the budget feeds it.
  DividedPower unlimited() const {
    DividedPower out;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Watts drawn = free_[i].plan.hot_mean->facility;
      out.jobs.push_back({drawn, {}, free_[i], drawn, 1});
      out.useful += curves_[i].weight * curves_[i].accelerators;
    }
    return out;
  }

  /// Division by job, or one of the others where it does better: curves need not be concave.
  DividedPower best_division(const std::vector<DividedPower>& others) {
    for (int i = 0; i < refinements; ++i) refine();
    DividedPower best = held(PowerDivision::by_job);
    for (const DividedPower& other : others)
      if (other.useful > best.useful) best = other;
    best.division = PowerDivision::by_job;
    return best;
  }

  /// Adds points on either side of the division by job.
  void refine() {
    const std::vector<Watts> budgets = divided(curves_, budget_, PowerDivision::by_job);
    std::vector<PowerPoint> more(2 * jobs_.size());
    for_each_point(last_first(more.size()), [&](std::size_t i) {
      const Watts middle = limit_at(curves_[i / 2], budgets[i / 2]);
      const Watts limit = (i % 2 == 0 ? 1 - refined : 1 + refined) * middle;
      more[i] = point(i / 2, std::clamp(limit, lowest_limit(jobs_[i / 2].scenario), rating(i / 2)));
    });
    for (std::size_t i = 0; i < more.size(); ++i) curves_[i / 2].points.push_back(more[i]);
    for (PowerCurve& curve : curves_) put_in_order(curve.points);
  }

  DividedPower held(PowerDivision division) {
    const std::vector<Watts> budgets = divided(curves_, budget_, division);
    DividedPower out{division, std::vector<JobShare>(jobs_.size()), 0};
    for_each_point(last_first(jobs_.size()), [&](std::size_t i) { out.jobs[i] = held(i, budgets[i]); });
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      out.useful += curves_[i].weight * curves_[i].accelerators * out.jobs[i].speed;
    return out;
  }

  /// The step whose limit just holds the budget, found along the curve of the job, which gains the points.
  JobShare held(std::size_t job, Watts budget) {
    PowerCurve& curve = curves_[job];
    if (budget >= curve.free()) return {budget, {}, free_[job], curve.free(), 1};
    JobShare best{budget, lowest_limit(jobs_[job].scenario), {}, {}, 0};
    for (int trial = 0; trial < most_trials && best.drawn < (1 - unused_share) * budget; ++trial) {
      const Watts limit = rounded(limit_at(curve, trial == 0 ? (1 - unused_share / 2) * budget : budget));
      SitedStep sited = planned(jobs_[job], limit);
      const PowerPoint here = point_of(job, limit, sited);
      curve.points.push_back(here);
      put_in_order(curve.points);
      if (here.drawn <= budget && here.drawn > best.drawn)
        best = {budget, limit, std::move(sited), here.drawn, here.speed};
    }
    return best.drawn > Watts{} ? best : at_point_below(job, budget);
  }

  /// The step of the nearest known point that holds the budget.
  JobShare at_point_below(std::size_t job, Watts budget) const {
    const std::vector<PowerPoint>& points = curves_[job].points;
    const auto above = std::ranges::find_if(points, [&](const PowerPoint& known) { return known.drawn > budget; });
    const PowerPoint& below = above == points.begin() ? points.front() : *(above - 1);
    return {budget, below.limit, planned(jobs_[job], below.limit), below.drawn, below.speed};
  }

  [[noreturn]] void refuse(Watts least) const {
    throw ConfigError({Diagnostic{
        "E0368",
        fmt::format("the budget of {} kW does not feed the jobs: they draw {} kW with each accelerator at its "
                    "lowest limit",
                    plain_number(budget_.in(kilowatt)), plain_number(least.in(kilowatt))),
        {},
        "",
        "raise it, run fewer jobs at once, or give a job fewer nodes"}});
  }

  const std::vector<SharingJob>& jobs_;
  Watts budget_;
  const std::function<void()>& progress_;
  std::vector<SitedStep> free_;
  std::vector<PowerCurve> curves_;
};

}  // namespace

SharedPower shared_power(const std::vector<SharingJob>& jobs, Watts budget, const std::function<void()>& progress) {
  return PowerSharing(jobs, budget, progress).share();
}

}  // namespace clusterwright
