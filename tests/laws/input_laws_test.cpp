// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>

#include "models/lowering/input_side.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/settling/settle_input.hpp"
#include "support/catch.hpp"
#include "support/folded_step.hpp"
#include "support/random_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Anything from a loader that is never waited for to one that everything waits for.
void draw_input(Scenario& s) {
  InputSpec input;
  input.bytes_per_token = *rc::gen::element(2.0, 100.0, 10'000.0);
  input.prefetch = *rc::gen::element(1, 2, 3, 8, 64);
  if (*rc::gen::arbitrary<bool>()) input.tokens_per_core = *rc::gen::element(1e5, 1e6, 1e8);
  input.workers = 4;
  const auto rate = [] { return *rc::gen::element(0.01, 1.0, 100.0) * gigabyte / second; };
  if (*rc::gen::arbitrary<bool>()) input.storage.read = rate();
  if (*rc::gen::arbitrary<bool>()) input.storage.host_read = rate();
  s.job.input = input;
}

/// Data enters at one end.
SmallCase random_reading_case() {
  SmallCase c = random_case();
  if (c.schedule == PipelineSchedule::dualpipe) c.schedule = PipelineSchedule::zero_bubble;
  return c;
}

Scenario random_reading_scenario() {
  Scenario s = random_scenario(random_reading_case());
  draw_input(s);
  describe(s);
  return s;
}

Seconds step_time(const Scenario& s) {
  Plan plan = plan_of(s);
  return to_seconds(settle_input(s, plan).end);
}

Seconds step_without_input(Scenario s) {
  s.job.input.reset();
  return step_time(s);
}

/// Everything that data passes, so much faster.
Scenario with_faster_input(Scenario s, double factor) {
  InputSpec& input = *s.job.input;
  if (input.tokens_per_core) *input.tokens_per_core *= factor;
  if (input.storage.read) *input.storage.read *= factor;
  if (input.storage.host_read) *input.storage.host_read *= factor;
  return s;
}

}  // namespace

TEST_CASE("a step that waits for data folds", "[laws][input]") {
  REQUIRE(rc::check("each rank does what its class does, to the picosecond",
                    [] { assert_folds(random_reading_scenario()); }));
}

TEST_CASE("no step is faster than its loaders, nor than without them", "[laws][input]") {
  REQUIRE(rc::check("at least the longer of both; together at most their sum", [] {
    const Scenario s = random_reading_scenario();
    const Plan plan = plan_of(s);
    const Seconds loading = input_supply(s, plan).micro_batch * plan.micro_batches;
    const Seconds computing = step_without_input(s), step = step_time(s);
    // Waiting for data cools, so that clocks rise; a continued step is off by so much.
    RC_ASSERT(step >= 0.999 * std::max(loading, 0.9 * computing));
    RC_ASSERT(step <= 1.001 * (loading + computing));
  }));
}

TEST_CASE("with a deep prefetch a step takes the longer of loading and computing", "[laws][input]") {
  REQUIRE(rc::check("throughput is the lesser of what readers supply and what ranks use", [] {
    SmallCase c = random_reading_case();
    c.micro_batches = *rc::gen::inRange(4, 9);
    c.slow.clear();
    Scenario s = random_scenario(c);
    s.parameters.power.tensor_weight.value = 0.5;  // clocks stay where they are
    draw_input(s);
    describe(s);
    s.job.input->prefetch = 4 * c.micro_batches;
    const Plan plan = plan_of(s);
    const Seconds loading = input_supply(s, plan).micro_batch * plan.micro_batches;
    const Seconds expected = std::max(loading, step_without_input(s));
    const Seconds step = step_time(s);
    RC_ASSERT(step >= 0.999 * expected);
    RC_ASSERT(step <= 1.01 * expected);
  }));
}

TEST_CASE("a faster loader is hardly ever slower", "[laws][input]") {
  REQUIRE(rc::check("nothing but clocks and the order of transfers can turn against it", [] {
    const Scenario s = random_reading_scenario();
    const double factor = *rc::gen::element(1.1, 2.0, 10.0);
    RC_ASSERT(step_time(with_faster_input(s, factor)) <= 1.02 * step_time(s));
  }));
}
