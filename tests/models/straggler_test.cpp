// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_classes.hpp"
#include "models/settling/step_simulation.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Four replicas of two stages, each two ranks wide; multiplies dominate.
SmallCase sixteen_ranks() {
  SmallCase c;
  c.tensor = 2;
  c.pipeline = 2;
  c.data = 4;
  c.micro_batches = 4;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 1024;
  return c;
}

/// @param limit  power of every accelerator; zero: that of the data sheet
Seconds step_time(const SmallCase& c, Watts limit = {}) {
  Scenario s = small_scenario(c);
  if (limit > Watts{}) s.cluster.accelerator.power.value = limit;
  s.stack.kernel_launch.value = {};
  return to_seconds(simulate_step(s, plan_of(s)).result.end);
}

}  // namespace

TEST_CASE("a straggler slows the whole step, and one that is not faster than its peers changes nothing", "[models]") {
  SmallCase c = sixteen_ranks();
  const Seconds healthy = step_time(c);
  c.slow = {{5, 0.8, {}}};
  const Seconds slowed = step_time(c);
  CHECK(slowed > 1.05 * healthy);
  CHECK(slowed < 1.25 * healthy);  // only the share of time that follows the clock
  c.slow = {{5, 1.0, {}}};
  CHECK(step_time(c) == healthy);
}

TEST_CASE("two stragglers of one stage cost hardly more than one, however the replicas are folded", "[models]") {
  SmallCase c = sixteen_ranks();
  c.slow = {{5, 0.8, {}}};
  const Seconds one = step_time(c);
  c.slow = {{5, 0.8, {}}, {1, 0.8, {}}};
  const Seconds two = step_time(c);
  CHECK(two >= one);
  CHECK(two < 1.02 * one);
}

TEST_CASE("a straggler beyond the job is not waited for", "[models]") {
  const Scenario scenario = small_scenario(sixteen_ranks());
  Cluster cluster = scenario.cluster;
  cluster.spec.slow = {{20, 0.5, {}}};
  CHECK(slow_ranks(cluster, full_domains(16, 8)).empty());
  CHECK(slow_ranks(cluster, full_domains(24, 8)).size() == 1);
}

TEST_CASE("a relative clock costs what a cap above the clock of the power limit does not", "[models]") {
  SmallCase c = sixteen_ranks();
  c.hidden = 8192;
  c.heads = 64;
  c.sequence = 4096;
  c.layers = 2;
  const Watts limit = 500 * watt;  // holds the clock below 0.95
  const Seconds healthy = step_time(c, limit);
  c.slow = {{5, 0.95, {}}};
  CHECK(step_time(c, limit) / healthy == Approx(1).epsilon(1e-4));
  c.slow = {{5, {}, 0.95}};
  const Seconds poorer = step_time(c, limit);
  CHECK(poorer > 1.01 * healthy);
  CHECK(poorer < healthy / 0.95);
}

TEST_CASE("without a power limit in the way a relative clock and a cap are one number", "[models]") {
  SmallCase c = sixteen_ranks();
  c.slow = {{5, 0.5, {}}};
  const Seconds capped = step_time(c);
  c.slow = {{5, 0.625, 0.8}};  // 0.625 x 0.8 = 0.5
  CHECK(step_time(c) == capped);
  c.slow = {{5, {}, 1.0}};
  const Seconds usual = step_time(c);
  c.slow = {};
  CHECK(usual == step_time(c));
}

TEST_CASE("a slower device is never faster", "[models]") {
  SmallCase c = sixteen_ranks();
  Seconds before = step_time(c);
  for (const double clock : {0.99, 0.95, 0.9, 0.8, 0.6, 0.4}) {
    c.slow = {{9, {}, clock}};
    const Seconds now = step_time(c);
    CHECK(now >= before);
    before = now;
  }
}
