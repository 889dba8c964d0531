// SPDX-License-Identifier: Apache-2.0
// The jitter of replicas of unequal speed against unfolded steps in which each replica has a speed of its own.
#include "models/settling/replica_jitter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/plan/placement.hpp"
#include "models/prediction/step_draws.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr double spread = 0.03;
constexpr int replicas = 8;

/// Tensor groups of 2 in pipelines of 2, eight replicas of them.
Scenario nested_barriers(int data = replicas) {
  SmallCase c;
  c.tensor = 2;
  c.pipeline = 2;
  c.data = data;
  c.layers = 4;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 2048;
  c.micro_batches = 8;
  Scenario s = small_scenario(c);
  s.steps.replica_spread.value = 0;
  return s;
}

std::vector<double> normal_draws(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> out(count);
  for (double& x : out) x = normal(random);
  return out;
}

/// Unfolded step whose replicas are slower by these logarithms. Clocks are relative to that of the fastest.
Seconds step_of(Scenario s, const std::vector<double>& slower) {
  const Plan plan = resolve_plan(s).plan;
  const Placement placement(plan, s.cluster.node_accelerators);
  const double fastest = *std::ranges::min_element(slower);
  for (int replica = 0; replica < plan.data; ++replica)
    if (const double clock = std::exp(fastest - slower[static_cast<std::size_t>(replica)]); clock < 1)
      for (int stage = 0; stage < plan.pipeline; ++stage)
        for (int rank = 0; rank < plan.tensor; ++rank)
          s.cluster.spec.slow.push_back(
              {static_cast<int>(placement.accelerator({rank, replica, stage}).value), {}, clock});
  s.cluster = cluster_of_size(s, plan.accelerators());
  return to_seconds(simulate_step(s, plan, Folding::unfolded).result.end);
}

/// Largest distance of the distributions of two samples.
double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a), std::ranges::sort(b);
  double most = 0;
  for (const std::vector<double>* side : {&a, &b})
    for (const double x : *side) {
      const auto share = [&](const std::vector<double>& all) {
        return static_cast<double>(std::ranges::upper_bound(all, x) - all.begin()) / static_cast<double>(all.size());
      };
      most = std::max(most, std::abs(share(a) - share(b)));
    }
  return most;
}

}  // namespace

TEST_CASE("the expected largest of normal numbers is that of the tables", "[models][jitter]") {
  // Order statistics of the normal distribution: Harter 1961, table 1.
  CHECK(expected_largest(1) == 0);
  CHECK(expected_largest(2) == Approx(0.56419).epsilon(1e-4));
  CHECK(expected_largest(10) == Approx(1.53875).epsilon(1e-4));
  CHECK(expected_largest(100) == Approx(2.50759).epsilon(1e-4));
  CHECK(expected_largest(1000) == Approx(3.24144).epsilon(1e-4));
}

TEST_CASE("drawn largest numbers are those of as many draws", "[models][jitter]") {
  std::vector<double> drawn, counted;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    drawn.push_back(drawn_largest(64, seed));
    const std::vector<double> all = normal_draws(64, 100'000 + seed);
    counted.push_back(*std::ranges::max_element(all) / spread);
  }
  CHECK(kolmogorov_smirnov(drawn, counted) < 1.63 * std::sqrt(2.0 / 2000));  // 1 % of equal ones are farther apart
  CHECK(std::accumulate(drawn.begin(), drawn.end(), 0.0) / 2000 == Approx(expected_largest(64)).epsilon(0.01));
}

TEST_CASE("the slowest replica lengthens an unfolded step by what its computation is longer", "[models][jitter]") {
  const Scenario s = nested_barriers();
  const Plan plan = resolve_plan(s).plan;
  const Seconds equal = step_of(s, std::vector<double>(replicas, 0.0)),
                computation = computing_time(time_step(s, plan));
  REQUIRE(computation > 0.4 * equal);
  constexpr std::size_t draws = 48;
  std::vector<double> unfolded, folded;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::vector<double> slower = normal_draws(replicas, i);
    const auto [least, most] = std::ranges::minmax_element(slower);
    unfolded.push_back((step_of(s, slower) - equal) / computation);
    const std::vector<double> other = normal_draws(replicas, 1000 + i);
    folded.push_back(std::ranges::max(other) - std::ranges::min(other));
    INFO("draw " << i << ": slowest over fastest " << *most - *least);
    CHECK(unfolded.back() == Approx(*most - *least).epsilon(0.25));
  }
  const auto mean = [](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  };
  INFO("mean of unfolded steps " << mean(unfolded) << ", of the model " << mean(folded));
  CHECK(mean(unfolded) == Approx(mean(folded)).epsilon(0.1));
  CHECK(kolmogorov_smirnov(unfolded, folded) < 1.63 * std::sqrt(2.0 / draws));
}

TEST_CASE("jitter is charged, grows with the size and is drawn by seeds", "[models][jitter]") {
  Scenario s = nested_barriers();
  const Plan plan = resolve_plan(s).plan;
  const StepTime equal = time_step(s, plan);
  s.steps.replica_spread.value = spread;
  const StepTime step = time_step(s, plan);
  const Seconds jitter = step.breakdown[static_cast<std::size_t>(StepCharge::jitter)];
  CHECK(to_seconds(step.end - equal.end) / jitter == Approx(1).epsilon(1e-6));
  CHECK(jitter / (spread * expected_largest(replicas) * computing_time(equal)) == Approx(1).epsilon(1e-6));
  const StepSummary summary = summarise_step(s, plan);
  CHECK(summary.end == step.end);
  CHECK(summary.energy / (summary.mean_power * to_seconds(summary.end)) == Approx(1));
  CHECK(draws_anything(s, {}));
  const SampledSteps samples = sample_steps(s, {}, plan, 1, 400);
  const double mean = std::accumulate(samples.times.begin(), samples.times.end(), 0.0,
                                      [](double sum, Seconds time) { return sum + time.in(second); }) /
                      400;
  CHECK(mean == Approx(to_seconds(step.end).in(second)).epsilon(0.003));
  CHECK(samples.draws_jitter());
  CHECK_FALSE(samples.draws_replays());
  CHECK(samples.expected.back() == to_seconds(step.end));
  CHECK(time_quantile(samples.times, 0.05) < to_seconds(step.end));
  CHECK(time_quantile(samples.times, 0.95) > to_seconds(step.end));
}

// The larger of two normal numbers is below 0 a quarter of the time.
TEST_CASE("the slower of two replicas may be faster than both are on average", "[models][jitter]") {
  Scenario s = nested_barriers(2);
  const Plan plan = resolve_plan(s).plan;
  const Picoseconds alike = time_step(s, plan).end;
  s.steps.replica_spread.value = spread;
  const StepTime step = time_step(s, plan);
  const SampledSteps samples = sample_steps(s, {}, plan, 1, 2000);
  double sum = 0, faster = 0;
  for (const Seconds time : samples.times) sum += time.in(second), faster += time < to_seconds(alike);
  CHECK(sum / 2000 == Approx(to_seconds(step.end).in(second)).epsilon(0.002));
  CHECK(faster / 2000 == Approx(0.25).epsilon(0.15));
}
