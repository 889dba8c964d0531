// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/job/job_blocks.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/settling/replica_jitter.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/parallel_points.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

bool is_hashed(const Scenario& s) {
  return s.cluster.has_network() && routing_of(s.cluster.spec.fabric) == Routing::hash;
}

bool is_shuffled(const Scenario& s) {
  return s.job.placement && s.job.placement->nodes.empty() && s.job.placement->order == PlacementOrder::shuffled;
}

/// Seeds of files are small: those of draws are added to them.
int added(int seed, std::uint64_t draw) {
  constexpr std::uint64_t most_seeds = 1'000'000'000;
  return static_cast<int>((static_cast<std::uint64_t>(seed) + draw) % most_seeds);
}

/// Whether a seed changes what is replayed.
bool draws_replays(const Scenario& scenario, const std::vector<SlowWish>& wishes) {
  return is_hashed(scenario) || is_shuffled(scenario) ||
         std::ranges::any_of(wishes, [](const SlowWish& wish) { return !wish.number; });
}

/// Whether replicas differ in speed: their draws need no replays.
bool has_spread(const Scenario& scenario) {
  return scenario.steps.replica_spread.value > 0 && scenario.job.parallel.data != 1;
}

}  // namespace

bool draws_anything(const Scenario& scenario, const std::vector<SlowWish>& wishes) {
  return draws_replays(scenario, wishes) || has_spread(scenario);
}

Scenario drawn(const Scenario& scenario, const std::vector<SlowWish>& wishes, int among, std::uint64_t seed) {
  Scenario out = scenario;
  if (seed > 0 && (is_hashed(out) || is_shuffled(out))) {
    FabricSpec& fabric = out.cluster.spec.fabric;
    fabric.routing_seed = added(fabric.routing_seed, seed);
    if (out.job.placement) out.job.placement->seed = added(out.job.placement->seed, seed);
    out.cluster = is_shuffled(out) ? cluster_of_size(out, out.cluster.spec.accelerators)
                                   : rehashed(out.cluster, fabric.routing_seed);
  }
  for (const SlowAcceleratorSpec& slow : draw_slow(wishes, out.cluster, among, seed))
    out.cluster.spec.slow.push_back(slow);
  return out;
}

Seconds time_quantile(std::vector<Seconds> times, double share) {
  std::sort(times.begin(), times.end());
  const double rank = std::ceil(share * static_cast<double>(times.size()));
  return times[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

bool SampledSteps::draws_jitter() const {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] != expected[i % expected.size()]) return true;
  return false;
}

bool SampledSteps::draws_replays() const {
  return std::ranges::any_of(expected, [&](Seconds time) { return time != expected.front(); });
}

std::uint64_t SampledSteps::slowest_seed() const {
  return first_seed + static_cast<std::uint64_t>(std::ranges::max_element(expected) - expected.begin());
}

namespace {

/// Time of a step with a draw of its slowest replica in place of the expected one.
Seconds drawn_time(const Scenario& scenario, const StepTime& step, const Plan& plan, std::uint64_t seed) {
  const double expected = expected_loss(scenario.steps, plan);
  if (expected == 0) return to_seconds(step.end);
  const double drawn = expected * drawn_largest(plan.data, seed) / expected_largest(plan.data);
  return to_seconds(step.end) + (drawn - expected) * computing_time(step);
}

/// Whether a few draws show how much all of them differ: only paths of very many flows are drawn.
bool few_may_stand_for_all(const Scenario& scenario, const std::vector<SlowWish>& wishes) {
  const double flows =
      static_cast<double>(scenario.cluster.spec.accelerators) * scenario.cluster.spec.fabric.queue_pairs;
  return is_hashed(scenario) && flows >= many_hashed_flows && !is_shuffled(scenario) && wishes.empty();
}

double variance(const std::vector<Seconds>& times) {
  const auto mean = std::accumulate(times.begin(), times.end(), Seconds()) / static_cast<double>(times.size());
  double sum = 0;
  for (const Seconds time : times) sum += std::pow((time - mean).in(second), 2);
  return sum / static_cast<double>(std::max<std::size_t>(times.size(), 2) - 1);
}

/// Draws of one question, as many as are replayed so far.
class StepDraws {
 public:
  StepDraws(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan, std::uint64_t first_seed)
      : scenario_(scenario), wishes_(wishes), plan_(plan), first_seed_(first_seed) {}

  void replay_until(std::size_t count) {
    std::vector<std::size_t> order(count - std::min(count, steps_.size()));
    std::iota(order.begin(), order.end(), steps_.size());
    steps_.resize(std::max(count, steps_.size()));
    for_each_point(order, [&](std::size_t i) {
      const Scenario scenario = drawn(scenario_, wishes_, scenario_.cluster.spec.accelerators, first_seed_ + i);
      steps_[i] = time_step(scenario, plan_);
    });
  }

  /// Steps of that many seeds, which take the replayed ones by turns.
  std::vector<Seconds> times(std::size_t count) const {
    std::vector<Seconds> out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(drawn_time(scenario_, steps_[i % steps_.size()], plan_, first_seed_ + i));
    return out;
  }
  std::vector<Seconds> expected() const {
    std::vector<Seconds> out;
    for (const StepTime& step : steps_) out.push_back(to_seconds(step.end));
    return out;
  }
  /// Variance of what jitter adds to the first of them.
  double variance_of_jitter(std::size_t count) const {
    std::vector<Seconds> times;
    for (std::size_t i = 0; i < count; ++i)
      times.push_back(drawn_time(scenario_, steps_.front(), plan_, first_seed_ + i));
    return variance(times);
  }

 private:
  const Scenario& scenario_;
  const std::vector<SlowWish>& wishes_;
  const Plan& plan_;
  std::uint64_t first_seed_;
  std::vector<StepTime> steps_;
};

}  // namespace

int paths_worthwhile(double of_paths, double of_jitter, int count) {
  constexpr double spare = 3.2;  // a variance of 8 normal draws is less than 1 / 3.2 of the true one in 5 % of cases
  const double share = of_paths > 0 ? spare * of_paths / (spare * of_paths + of_jitter) : 0;
  return std::clamp(static_cast<int>(std::ceil(share * count)), std::min(few_draws, count), count);
}

SampledSteps sample_steps(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan,
                          std::uint64_t first_seed, int count) {
  const auto all = static_cast<std::size_t>(count);
  StepDraws draws(scenario, wishes, plan, first_seed);
  SampledSteps out{first_seed, {}, {}};
  if (!draws_replays(scenario, wishes)) {
    draws.replay_until(1);
  } else if (!few_may_stand_for_all(scenario, wishes)) {
    draws.replay_until(all);
  } else {
    draws.replay_until(static_cast<std::size_t>(std::min(few_draws, count)));
    const double jitter = draws.variance_of_jitter(all);
    draws.replay_until(static_cast<std::size_t>(paths_worthwhile(variance(draws.expected()), jitter, count)));
    const double paths = variance(draws.expected());
    if (draws.expected().size() < all) out.share_of_paths = paths / (paths + jitter);
  }
  out.times = draws.times(all);
  out.expected = draws.expected();
  if (!draws_replays(scenario, wishes)) out.expected.resize(all, out.expected.front());
  return out;
}

}  // namespace clusterwright
