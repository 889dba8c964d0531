// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/fabrics/fabric_spec.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Eight nodes below leaves of two.
Scenario under_leaves(Routing routing) {
  SmallCase c;
  c.pipeline = 2;
  c.data = 32;
  c.micro_batches = 2;
  c.hidden = 1024;
  c.nic_gbit_per_s = 20;
  c.tiers = {{"leaf", 16, 1, ""}, {"spine", 4096, 1, ""}};
  Scenario s = small_scenario(c);
  s.cluster.spec.fabric.routing = routing;
  s.cluster = resized(s.cluster, 64);
  return s;
}

Scenario shuffled(Scenario s) {
  s.job.placement = PlacementSpec{PlacementOrder::shuffled, 32, {}, 5};
  s.cluster = cluster_of_size(s, 64);
  return s;
}

}  // namespace

TEST_CASE("paths, places and devices are what a seed draws", "[models][draws]") {
  const Scenario spread = under_leaves(Routing::spray);
  CHECK_FALSE(draws_anything(spread, {}));
  CHECK_FALSE(draws_anything(spread, {parse_slow("node.1:5%")}));
  CHECK(draws_anything(spread, {parse_slow("node:5%")}));
  CHECK(draws_anything(shuffled(spread), {}));
  CHECK(draws_anything(under_leaves(Routing::hash), {}));
  Scenario given = shuffled(spread);
  given.job.placement->nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK_FALSE(draws_anything(given, {}));
}

TEST_CASE("seed 0 leaves a scenario as its file says, and others are added to the seeds of the file",
          "[models][draws]") {
  const Scenario s = shuffled(under_leaves(Routing::hash));
  const Scenario zero = drawn(s, {}, 64, 0), three = drawn(s, {}, 64, 3);
  CHECK(zero.cluster.blocks == s.cluster.blocks);
  CHECK(zero.cluster.spec.fabric.routing_seed == s.cluster.spec.fabric.routing_seed);
  CHECK_FALSE(three.cluster.blocks == s.cluster.blocks);
  CHECK(three.cluster.spec.fabric.routing_seed == s.cluster.spec.fabric.routing_seed + 3);
  CHECK(three.job.placement->seed == 8);
  CHECK(three.cluster.request.placement == three.job.placement);
  CHECK(drawn(s, {}, 64, 3).cluster.blocks == three.cluster.blocks);
}

TEST_CASE("drawn devices are accelerators of the placed job, beside those of the file", "[models][draws]") {
  Scenario s = shuffled(under_leaves(Routing::spray));
  s.cluster.spec.slow = {{static_cast<int>(s.cluster.blocks.accelerator(0).value), 0.9, {}}};
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    const Scenario one = drawn(s, {parse_slow("node:5%")}, 64, seed);
    REQUIRE(one.cluster.spec.slow.size() == 9);
    for (std::size_t i = 1; i < 9; ++i) CHECK(one.cluster.blocks.rank(one.cluster.spec.slow[i].accelerator));
  }
}

TEST_CASE("samples are the step times of seeds that follow each other", "[models][draws]") {
  const Scenario s = shuffled(under_leaves(Routing::hash));
  const Plan plan = plan_of(s);
  const SampledSteps samples = sample_steps(s, {}, plan, 7, 5);
  REQUIRE(samples.times.size() == 5);
  CHECK(samples.first_seed == 7);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(samples.times[i] == to_seconds(time_step(drawn(s, {}, 64, 7 + i), plan).end));
  CHECK(time_quantile(samples.times, 1) > time_quantile(samples.times, 0));
  CHECK(samples.times[samples.slowest_seed() - 7] == time_quantile(samples.times, 1));
}

TEST_CASE("drawn paths are those of a network built with the seed", "[models][draws]") {
  const Scenario s = under_leaves(Routing::hash);
  Scenario built = s;
  built.cluster.spec.fabric.routing_seed += 3;
  built.cluster = cluster_of_size(built, 64);
  const Plan plan = plan_of(s);
  const Picoseconds three = time_step(drawn(s, {}, 64, 3), plan).end;
  CHECK(three == time_step(built, plan).end);
  CHECK_FALSE(three == time_step(s, plan).end);
  CHECK(three == time_step(drawn(drawn(s, {}, 64, 1), {}, 64, 2), plan).end);
}

TEST_CASE("paths are laid as often as their part of the variance deserves", "[models][draws]") {
  CHECK(paths_worthwhile(0, 1, 64) == few_draws);
  CHECK(paths_worthwhile(1, 0, 64) == 64);
  CHECK(paths_worthwhile(0, 0, 64) == few_draws);
  CHECK(paths_worthwhile(1, 3.2, 64) == 32);
  CHECK(paths_worthwhile(0.01, 1, 10'000) == 311);  // 0.032 / 1.032
  CHECK(paths_worthwhile(1, 1, 5) == 5);
}

namespace {

/// Largest distance between the shares of two samples below any time.
double largest_distance(std::vector<Seconds> a, std::vector<Seconds> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  double largest = 0;
  const auto share_up_to = [](const std::vector<Seconds>& sorted, Seconds time) {
    return static_cast<double>(std::ranges::upper_bound(sorted, time) - sorted.begin()) /
           static_cast<double>(sorted.size());
  };
  for (const auto& times : {a, b})
    for (const Seconds time : times) largest = std::max(largest, std::abs(share_up_to(a, time) - share_up_to(b, time)));
  return largest;
}

}  // namespace

TEST_CASE("where jitter outweighs very many paths, those of a few seeds stand for all", "[models][draws]") {
  constexpr int count = 100;
  Scenario s = under_leaves(Routing::hash);
  s.cluster.spec.fabric.queue_pairs = 1024;
  s.cluster = cluster_of_size(s, 64);
  const Plan plan = plan_of(s);
  CHECK_FALSE(sample_steps(s, {}, plan, 1, 12).few_stand_for_all());
  s.steps.replica_spread.value = 0.05;
  const SampledSteps few = sample_steps(s, {}, plan, 1, count);
  REQUIRE(few.few_stand_for_all());
  CHECK(few.draws_replays());
  CHECK(few.draws_jitter());
  CHECK(few.share_of_paths > 0);
  CHECK(few.share_of_paths < 0.3);
  for (std::size_t i = 0; i < few.expected.size(); ++i)
    CHECK(few.expected[i] == to_seconds(time_step(drawn(s, {}, 64, 1 + i), plan).end));
  std::vector<Seconds> all;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(1 + i);
    all.push_back(sample_steps(s, {}, plan, seed, 1).times.front());
  }
  CHECK(few.times.front() == all.front());
  // Both have the same slowest replicas. Of two independent samples of 100 it exceeds 0.19 in 5 % of cases.
  CHECK(largest_distance(few.times, all) < 0.1);
  // A slow device or another place may be rare and costly: each is drawn.
  CHECK_FALSE(sample_steps(s, {parse_slow("node:5%")}, plan, 1, 12).few_stand_for_all());
  CHECK_FALSE(sample_steps(shuffled(s), {}, plan, 1, 12).few_stand_for_all());
}

TEST_CASE("a quantile is a time that was drawn", "[models][draws]") {
  const std::vector<Seconds> five = {5 * second, 1 * second, 4 * second, 2 * second, 3 * second};
  CHECK(time_quantile(five, 0) == 1 * second);
  CHECK(time_quantile(five, 0.2) == 1 * second);
  CHECK(time_quantile(five, 0.5) == 3 * second);
  CHECK(time_quantile(five, 0.9) == 5 * second);
  CHECK(time_quantile(five, 1) == 5 * second);
  CHECK(SampledSteps{10, five, five}.slowest_seed() == 10);
  CHECK(time_quantile({2 * second}, 0.5) == 2 * second);
}
