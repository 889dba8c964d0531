// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_draws.hpp"

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
