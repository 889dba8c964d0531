// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include "support/catch.hpp"
#include "support/folded_step.hpp"
#include "support/random_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

double random_rate() {
  return *rc::gen::element(5.0, 50.0, 500.0);
}

MemoryLevel random_tier() {
  return *rc::gen::element(MemoryLevel::device, MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme);
}

Scenario random_tiered_scenario() {
  Scenario s = random_scenario();
  s.job.offload.optimizer = random_tier();
  s.job.offload.activations = random_tier();
  if (s.job.offload.weights != MemoryLevel::device)
    s.job.offload.weights = *rc::gen::element(MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme);
  const auto rate = [] { return random_rate() * gigabyte / second; };
  HostSpec& host = s.cluster.spec.node.host;
  if (*rc::gen::arbitrary<bool>()) host.memory_bandwidth = rate();
  host.nvme_read = rate();
  host.nvme_write = rate();
  const bool network = s.cluster.nics > 0;
  s.cluster.spec.pool =
      PoolSpec{{}, rate(), rate(), network ? *rc::gen::element(PoolLink::own, PoolLink::network) : PoolLink::own};
  describe(s);
  return s;
}

double step_seconds(const Scenario& s) {
  const StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
  return to_seconds(replay(graph.structure, graph.timing).end).in(second);
}

}  // namespace

TEST_CASE("a step that keeps things beyond its accelerators folds", "[laws][tiers]") {
  REQUIRE(rc::check("each rank does what its class does, to the picosecond",
                    [] { assert_folds(random_tiered_scenario()); }));
}

TEST_CASE("faster tiers are hardly ever slower", "[laws][tiers]") {
  REQUIRE(rc::check("twice the bandwidth of everything beyond the accelerators", [] {
    const Scenario s = random_tiered_scenario();
    Scenario faster = s;
    HostSpec& host = faster.cluster.spec.node.host;
    for (auto* rate : {&host.memory_bandwidth, &host.nvme_read, &host.nvme_write,
                       &faster.cluster.spec.pool->accelerator, &faster.cluster.spec.pool->total})
      if (*rate) **rate *= 2;
    RC_ASSERT(step_seconds(faster) <= 1.03 * step_seconds(s));
  }));
}
