// SPDX-License-Identifier: Apache-2.0
#include "models/settling/step_what_ifs.hpp"

#include <vector>

#include "models/lowering/step_charge.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Two stages, throttled, whose steps of many micro-batches are continued from short ones.
Scenario throttled(int micro_batches) {
  SmallCase c;
  c.tensor = 4;
  c.pipeline = 2;
  c.data = 2;
  c.layers = 4;
  c.hidden = 8192;
  c.sequence = 4096;
  c.micro_batches = micro_batches;
  Scenario s = small_scenario(c);
  s.cluster.accelerator.power.value = 450 * watt;
  return s;
}

std::vector<Scenario> variations(const Scenario& base) {
  std::vector<Scenario> out(5, base);
  out[0].cluster.nic_bandwidth *= 0.5;
  out[1].cluster.accelerator.memory_bandwidth.value *= 1.3;
  out[2].cluster.accelerator.power.value *= 1.2;
  out[3].stack.kernel_launch.value *= 2.0;  // a stack of its own, which is lowered again
  out[4].transformer.layers *= 2;
  return out;
}

}  // namespace

TEST_CASE("a what-if is the step lowered anew, whatever was asked before", "[models]") {
  for (const int micro_batches : {4, 64}) {
    const Scenario base = throttled(micro_batches);
    const Plan plan = plan_of(base);
    StepWhatIfs step(base, plan);
    REQUIRE(step.base().breakdown[static_cast<std::size_t>(StepCharge::throttle)] > Seconds{});
    for (const Scenario& s : variations(base)) {
      INFO(micro_batches << " " << s.transformer.layers << " " << s.cluster.accelerator.power.value.in(watt));
      const StepTime asked = step.time_under(s), anew = time_step(s, plan);
      CHECK(asked.end != step.base().end);
      CHECK(to_seconds(asked.end) / to_seconds(anew.end) == Approx(1).epsilon(2 * clock_tolerance));  // both settle
      CHECK(step.time_under(s).end == asked.end);
      CHECK(step.time_under(base).end == step.base().end);
    }
  }
}

TEST_CASE("the power of a what-if is that of the step lowered anew", "[models]") {
  const Scenario base = throttled(64);
  const Plan plan = plan_of(base);
  StepWhatIfs step(base, plan);
  for (const Scenario& s : variations(base)) {
    const StepSummary asked = step.under(s), anew = summarise_step(s, plan);
    CHECK(asked.mean_power / anew.mean_power == Approx(1).epsilon(1e-3));
    CHECK(asked.energy / anew.energy == Approx(1).epsilon(1e-3));
  }
}
