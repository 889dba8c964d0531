// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/job/job_blocks.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/settling/device_jitter.hpp"
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

/// Whether devices differ in speed: their draws need no replays.
bool has_spread(const Scenario& scenario) {
  return scenario.steps.device_spread.value > 0;
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

Seconds SampledSteps::quantile(double share) const {
  std::vector<Seconds> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

std::uint64_t SampledSteps::slowest_seed() const {
  return first_seed + static_cast<std::uint64_t>(std::max_element(times.begin(), times.end()) - times.begin());
}

namespace {

/// Time of a step with a draw of its slowest device in place of the expected one.
Seconds drawn_time(const StepTime& step, const Plan& plan, std::uint64_t seed) {
  const Seconds jitter = step.breakdown[static_cast<std::size_t>(StepCharge::jitter)];
  if (jitter <= Seconds()) return to_seconds(step.end);
  const double ranks = plan.accelerators();
  return to_seconds(step.end) + jitter * (drawn_largest(ranks, seed) / expected_largest(ranks) - 1);
}

}  // namespace

SampledSteps sample_steps(const Scenario& scenario, const std::vector<SlowWish>& wishes, const Plan& plan,
                          std::uint64_t first_seed, int count) {
  SampledSteps out{first_seed, std::vector<Seconds>(static_cast<std::size_t>(count))};
  std::vector<std::size_t> order(out.times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::optional<StepTime> of_all;
  if (!draws_replays(scenario, wishes))
    of_all = time_step(drawn(scenario, wishes, scenario.cluster.spec.accelerators, first_seed), plan);
  for_each_point(order, [&](std::size_t i) {
    const std::uint64_t seed = first_seed + i;
    out.times[i] = drawn_time(
        of_all ? *of_all : time_step(drawn(scenario, wishes, scenario.cluster.spec.accelerators, seed), plan), plan,
        seed);
  });
  return out;
}

}  // namespace clusterwright
