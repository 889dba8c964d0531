// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/fewer_nodes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "models/prediction/predict_scale.hpp"
#include "models/site/sizing/power_budgets.hpp"
#include "models/site/sizing/power_choice.hpp"
#include "sim/diagnostic.hpp"
#include "sim/parallel_points.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t most_sizes = 6;
constexpr std::array limit_shares = {1.0, 0.8, 0.65};  // of the rating

/// A size of a job and a limit of its accelerators.
struct Wish {
  std::size_t job = 0;
  int accelerators = 0;
  Watts limit;
};

/// A wish that runs.
struct Way {
  Wish wish;
  Watts drawn;
  double speed = 0;  ///< over that of all nodes without a limit
};

Watts rating_of(const SharingJob& job) {
  return job.scenario.cluster.accelerator.limit_or_rating();
}

SitedStep planned(const SharingJob& job, const Wish& wish) {
  const bool all = wish.accelerators == job.scenario.cluster.spec.accelerators;
  Scenario sized = all ? job.scenario : scenario_at_size(job.scenario, wish.accelerators, true);
  limit_accelerators(sized.cluster, wish.limit);
  return job.site.plan(sized);
}

/// Sizes with fewer replicas that share the batch evenly, at most six, spread down to an eighth.
std::vector<int> smaller_sizes(const StepPrediction& free) {
  const Plan& plan = free.plan;
  std::vector<int> sizes;
  for (int replicas = std::max(1, plan.data / 8); replicas < plan.data; ++replicas)
    if (plan.global_batch % replicas == 0) sizes.push_back(free.accelerators / plan.data * replicas);
  std::vector<int> out;
  const std::size_t wanted = std::min(most_sizes, sizes.size());
  for (std::size_t i = 0; i < wanted; ++i) out.push_back(sizes[sizes.size() - 1 - i * sizes.size() / wanted]);
  return out;
}

std::vector<Wish> wishes_of(const std::vector<SharingJob>& jobs, const std::vector<SitedStep>& free) {
  std::vector<Wish> out;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    for (const int size : smaller_sizes(free[job].step))
      for (const double share : limit_shares) {
        const Watts rating = rating_of(jobs[job]);
        const Watts limit = std::min(rating, std::max(lowest_limit(jobs[job].scenario), share * rating));
        const bool repeats =
            !out.empty() && out.back().job == job && out.back().accelerators == size && out.back().limit == limit;
        if (!repeats) out.push_back({job, size, limit});
      }
  return out;
}

/// Nothing where the job does not run so: groups of experts need other numbers, or memory does not hold the states.
std::optional<Way> way_of(const std::vector<SharingJob>& jobs, const std::vector<SitedStep>& free, const Wish& wish) {
  try {
    const SitedStep sited = planned(jobs[wish.job], wish);
    if (!sited.step.fits) return {};
    return Way{wish, sited.plan.hot_mean->facility,
               sited.step.tokens_per_second / free[wish.job].step.tokens_per_second};
  } catch (const ConfigError&) {
    return {};
  }
}

/// Ways of each job: the points of its curve, and those on fewer nodes.
std::vector<std::vector<Way>> every_way(const std::vector<SharingJob>& jobs, const std::vector<PowerCurve>& curves,
                                        const std::vector<SitedStep>& free, const std::function<void()>& progress) {
  const std::vector<Wish> wishes = wishes_of(jobs, free);
  std::vector<std::optional<Way>> tried(wishes.size());
  for_each_point(last_first(wishes.size()), [&](std::size_t i) {
    tried[i] = way_of(jobs, free, wishes[i]);
    if (progress) progress();
  });
  std::vector<std::vector<Way>> out(jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job)
    for (const PowerPoint& point : curves[job].points)
      out[job].push_back({{job, free[job].step.accelerators, point.limit}, point.drawn, point.speed});
  for (const std::optional<Way>& way : tried)
    if (way) out[way->wish.job].push_back(*way);
  return out;
}

JobShare share_of(const SharingJob& job, const Way& way) {
  const std::optional<Watts> limit = way.wish.limit < rating_of(job) ? std::optional(way.wish.limit) : std::nullopt;
  return {way.drawn, limit, planned(job, way.wish), way.drawn, way.speed};
}

}  // namespace

std::optional<DividedPower> on_fewer_nodes(const std::vector<SharingJob>& jobs, const std::vector<PowerCurve>& curves,
                                           const std::vector<SitedStep>& free, Watts budget,
                                           const std::function<void()>& progress) {
  const std::vector<std::vector<Way>> ways = every_way(jobs, curves, free, progress);
  std::vector<std::vector<PowerChoice>> choices(jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job)
    for (const Way& way : ways[job])
      choices[job].push_back({way.drawn, curves[job].weight * curves[job].accelerators * way.speed});
  const std::vector<std::size_t> best = most_work(choices, budget);
  if (best.empty()) return {};
  DividedPower out{PowerDivision::fewer_nodes, std::vector<JobShare>(jobs.size()), 0};
  for_each_point(last_first(jobs.size()),
                 [&](std::size_t job) { out.jobs[job] = share_of(jobs[job], ways[job][best[job]]); });
  for (std::size_t job = 0; job < jobs.size(); ++job) out.useful += choices[job][best[job]].work;
  return out;
}

}  // namespace clusterwright
