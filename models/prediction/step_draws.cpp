// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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
    out.cluster = cluster_of_size(out, out.cluster.spec.accelerators);
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

}  // namespace

SampledSteps sample_steps(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan,
                          std::uint64_t first_seed, int count) {
  const std::vector<Seconds> none(static_cast<std::size_t>(count));
  SampledSteps out{first_seed, none, none};
  std::vector<std::size_t> order(out.times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto step_of = [&](std::uint64_t seed) {
    return time_step(drawn(scenario, wishes, scenario.cluster.spec.accelerators, seed), plan);
  };
  std::optional<StepTime> of_all;
  if (!draws_replays(scenario, wishes)) of_all = step_of(first_seed);
  for_each_point(order, [&](std::size_t i) {
    const StepTime step = of_all ? *of_all : step_of(first_seed + i);
    out.expected[i] = to_seconds(step.end);
    out.times[i] = drawn_time(scenario, step, plan, first_seed + i);
  });
  return out;
}

}  // namespace clusterwright
