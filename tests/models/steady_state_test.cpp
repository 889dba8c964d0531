// SPDX-License-Identifier: Apache-2.0
#include "models/settling/steady_state.hpp"
#include "models/settling/step_drift.hpp"
#include "models/settling/step_what_ifs.hpp"

#include <cmath>
#include <numeric>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#ifdef CLUSTERWRIGHT_RAPIDCHECK
#include <rapidcheck.h>
#endif

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

double relative(Seconds value, Picoseconds whole) {
  return value / to_seconds(whole);
}

double sum_of(const std::vector<Seconds>& breakdown) {
  double sum = 0;
  for (const Seconds time : breakdown) sum += time.in(second);
  return sum;
}

/// A pipeline without a power limit that matters, long enough to be shortened.
SmallCase long_case(int pipeline, int virtual_pipeline, int micro_batches) {
  SmallCase c;
  c.tensor = 8 / pipeline;
  c.pipeline = pipeline;
  c.virtual_pipeline = virtual_pipeline;
  c.micro_batches = micro_batches;
  c.data = 2;
  c.layers = pipeline * virtual_pipeline;
  c.hidden = 1024;
  c.sequence = 1024;
  return c;
}

StepSimulation replayed(const Scenario& s, Plan plan, int micro_batches) {
  plan.micro_batches = micro_batches;
  StepGraph graph = lower_training_step(s, plan, Folding::folded);
  graph.structure = with_closed_passes(std::move(graph.structure), graph.timing);
  StepSimulation step{std::move(graph), {}, {}};
  Replayer replayer(step.graph.structure);
  replay_step(step, replayer);
  return step;
}

}  // namespace

TEST_CASE("short steps are not shortened, long ones to what the schedule allows", "[models]") {
  Plan plan;
  for (plan.pipeline = 1; plan.pipeline <= 8; ++plan.pipeline)
    for (plan.virtual_pipeline = 1; plan.virtual_pipeline <= 3; ++plan.virtual_pipeline) {
      plan.micro_batches = 2 * plan.pipeline;
      CHECK(shortened_steps(plan).empty());
      plan.micro_batches = 64 * plan.pipeline;
      const auto tries = shortened_steps(plan);
      REQUIRE_FALSE(tries.empty());
      for (const ShortenedStep& few : tries) {
        CHECK((plan.micro_batches - few.micro_batches) % few.period == 0);
        if (plan.virtual_pipeline > 1) CHECK(few.micro_batches % plan.pipeline == 0);
        CHECK(2 * few.micro_batches + few.period < plan.micro_batches);
      }
    }
}

TEST_CASE("a pipeline that has filled repeats itself to the picosecond", "[models]") {
  const auto plain = PipelineSchedule::one_forward_one_backward;
  const std::vector<std::pair<int, PipelineSchedule>> schedules = {
      {1, plain}, {2, plain}, {1, PipelineSchedule::zero_bubble}, {1, PipelineSchedule::dualpipe}};
  for (const auto& [chunks, schedule] : schedules) {
    SmallCase c = long_case(4, chunks, 96);
    c.schedule = schedule;
    INFO(chunks << " chunks, schedule " << static_cast<int>(schedule));
    Scenario s = small_scenario(c);
    s.stack.kernel_launch.value = s.stack.experts.launch.value = {};
    s.parameters.step.message_sms.value = 0;  // kernels beside messages would settle only bit by bit
    const Plan plan = plan_of(s);
    const StepSimulation few = replayed(s, plan, 32), many = replayed(s, plan, 36), most = replayed(s, plan, 96);
    CHECK(step_drift(few, many, 4, 4, 15).ops.in(1e-12 * second) == 0);
    CHECK(most.result.end.count - many.result.end.count == 15 * (many.result.end.count - few.result.end.count));
  }
}

TEST_CASE("a step that is still filling drifts", "[models]") {
  const Scenario s = small_scenario(long_case(4, 1, 96));
  const Plan plan = plan_of(s);
  const StepSimulation few = replayed(s, plan, 4), many = replayed(s, plan, 5);
  CHECK(step_drift(few, many, 1, 4, 91).ops > 0.01 * to_seconds(many.result.end - few.result.end));
}

TEST_CASE("a host that falls back towards its device is noticed before it is late", "[models]") {
  SmallCase c = long_case(1, 1, 200);
  c.tensor = 1;
  c.data = 64;
  c.nic_gbit_per_s = 2;
  c.hidden = 512;
  Scenario s = small_scenario(c);
  // Slow gathers put the device behind; kernels a little shorter than their launches let it catch up slowly.
  s.stack.kernel_launch.value = 12 * microsecond;
  const Plan plan = plan_of(s);
  const StepSimulation few = replayed(s, plan, 2), many = replayed(s, plan, 3), most = replayed(s, plan, 200);
  const StepDrift drift = step_drift(few, many, 1, 1, 197);
  const Seconds linear = to_seconds(many.result.end) + 197 * to_seconds(many.result.end - few.result.end);
  const Seconds missed = to_seconds(most.result.end) - linear;
  REQUIRE(missed > 0.01 * to_seconds(most.result.end));  // else this tests nothing
  CHECK(drift.host.in(second) == Approx(missed.in(second)).epsilon(0.01));
  CHECK(to_seconds(summarise_step(s, plan).end) / to_seconds(most.result.end) == Approx(1).epsilon(1e-3));
}

TEST_CASE("a step longer than can be simulated is refused, however it would be shortened", "[models]") {
  SmallCase c = long_case(1, 1, 4096);
  c.tensor = 1;
  c.data = 8;
  c.layers = 2;
  c.vocabulary = 1 << 28;
  c.sequence = 1 << 20;
  const Scenario s = small_scenario(c);
  CHECK_THROWS_AS(summarise_step(s, plan_of(s)), ConfigError);
}

TEST_CASE("a throttled step of a few windows is continued to what its governors grant the whole", "[models]") {
  SmallCase c;
  c.tensor = 1;
  c.data = 8;
  c.micro_batches = 19;
  c.nic_gbit_per_s = 10;
  c.layers = 1;
  c.hidden = 4096;
  c.sequence = 256;
  c.gated_mlp = false;
  Scenario s = small_scenario(c);
  s.parameters.power.tensor_weight.value = 2;  // lowers clocks
  const Plan plan = plan_of(s);
  const Picoseconds whole = simulate_step(s, plan).result.end;
  REQUIRE(to_seconds(whole) < 10 * s.parameters.power.governor_window.value);  // else all governors see a mean
  const StepSummary continued = summarise_step(s, plan);
  REQUIRE(continued.breakdown[static_cast<std::size_t>(StepCharge::throttle)] > 0.1 * to_seconds(whole));
  CHECK(to_seconds(continued.end) / to_seconds(whole) == Approx(1).epsilon(1e-6));
}

TEST_CASE("long steps are tried with long periods last", "[models]") {
  Plan plan;
  plan.pipeline = 4;
  for (plan.virtual_pipeline = 1; plan.virtual_pipeline <= 2; ++plan.virtual_pipeline) {
    plan.micro_batches = 512;
    const auto tries = shortened_steps(plan);
    REQUIRE(tries.size() > 1);
    CHECK(tries.back().period > tries.front().period);
    CHECK(tries.back().period % 4 == 0);
    CHECK(tries.back().micro_batches + 2 * tries.back().period < plan.micro_batches / 2);
  }
}

TEST_CASE("a step far beyond what is of interest ends where the settled step does, or a little sooner", "[models]") {
  SmallCase c = long_case(4, 2, 400);
  Scenario s = small_scenario(c);
  s.parameters.power.tensor_weight.value = 2;  // lowers clocks
  const Plan plan = plan_of(s);
  const Picoseconds whole = summarise_step(s, plan).end;
  const StepSummary loser = summarise_step(s, plan, Picoseconds{whole.count / 2});
  CHECK(loser.end.count > whole.count / 2);
  CHECK(to_seconds(loser.end) <= 1.001 * to_seconds(whole));
  CHECK(loser.mean_power == Watts());  // nothing but times
}

#ifdef CLUSTERWRIGHT_RAPIDCHECK
namespace {

void draw_parallelism(SmallCase& c) {
  c.tensor = *rc::gen::element(1, 2, 4, 8);
  c.pipeline = *rc::gen::inRange(1, 9);
  c.virtual_pipeline = c.pipeline > 1 ? *rc::gen::inRange(1, 4) : 1;
  const int replica = c.tensor * c.pipeline;
  c.data = 8 / std::gcd(8, replica) * *rc::gen::inRange(1, 3);
  const int most = *rc::gen::element(64, 64, 400);
  c.micro_batches = c.virtual_pipeline > 1 ? c.pipeline * *rc::gen::inRange(1, most / c.pipeline + 1)
                                           : *rc::gen::inRange(1, most + 1);
  if (c.virtual_pipeline > 1 || c.pipeline == 1) return;
  c.schedule = *rc::gen::element(PipelineSchedule::one_forward_one_backward, PipelineSchedule::zero_bubble,
                                 PipelineSchedule::dualpipe);
  if (c.schedule != PipelineSchedule::dualpipe) return;
  if (c.pipeline % 2 != 0) c.schedule = PipelineSchedule::zero_bubble;
  c.micro_batches = 2 * c.pipeline + 2 * *rc::gen::inRange(0, most / 2 - 7);
}

void draw_rest(SmallCase& c) {
  c.hopper = *rc::gen::arbitrary<bool>();
  c.nic_gbit_per_s = *rc::gen::element(10.0, 50.0, 400.0);
  c.sharding = *rc::gen::element(Sharding::none, Sharding::zero1, Sharding::zero2);
  c.recompute = *rc::gen::element(Recompute::none, Recompute::full);
  c.sequence_parallel = *rc::gen::arbitrary<bool>();
  c.layers = c.pipeline * c.virtual_pipeline + *rc::gen::inRange(0, 3);
  c.hidden = *rc::gen::element(256, 1024, 4096);
  c.sequence = *rc::gen::element(256, 1024);
  c.gated_mlp = *rc::gen::arbitrary<bool>();
  c.tied_embeddings = *rc::gen::arbitrary<bool>();
  if (*rc::gen::inRange(0, 6) == 0) c.slow.push_back({*rc::gen::inRange(0, c.accelerators()), 0.9, {}});
}

Scenario random_scenario() {
  SmallCase c;
  draw_parallelism(c);
  draw_rest(c);
  Scenario s = small_scenario(c);
  if (*rc::gen::arbitrary<bool>()) s.stack.kernel_launch.value = {};
  if (*rc::gen::inRange(0, 3) == 0) s.parameters.power.tensor_weight.value = 2;  // lowers clocks
  return s;
}

}  // namespace

TEST_CASE("a continued step is the full step", "[models]") {
  // Most are equal to the picosecond: docs/speed.md has how many are how far off. These are bounds of the worst ones.
  REQUIRE(rc::check("to 2 % in time and of the step in work; waits swap causes at most; charges add up", [] {
    const Scenario s = random_scenario();
    const Plan plan = plan_of(s);
    const StepSummary continued = summarise_step(s, plan), full = summarise(simulate_step(s, plan));
    RC_LOG() << "t" << plan.tensor << " p" << plan.pipeline << " schedule " << static_cast<int>(plan.schedule) << " v"
             << plan.virtual_pipeline << " d" << plan.data << " m" << plan.micro_batches << " sharding "
             << static_cast<int>(plan.sharding);
    RC_CLASSIFY(!shortened_steps(plan).empty(), "long enough to be shortened");
    RC_ASSERT(std::abs(relative(to_seconds(continued.end - full.end), full.end)) < 2e-2);
    double worked = 0;
    for (std::size_t i = 0; i < full.breakdown.size(); ++i) {
      RC_LOG() << " " << step_charge_names[i] << " " << relative(full.breakdown[i], full.end);
      RC_ASSERT(continued.breakdown[i] >= 0 * second);
      const double difference = relative(continued.breakdown[i] - full.breakdown[i], full.end);
      RC_ASSERT(std::abs(difference) < 0.15);
      const ChargeKind kind = kind_of(static_cast<StepCharge>(i));
      if (kind == ChargeKind::compute || kind == ChargeKind::streaming) worked += std::abs(difference);
    }
    RC_ASSERT(worked < 2e-2);
    RC_ASSERT(std::abs(sum_of(continued.breakdown) / to_seconds(continued.end).in(second)-1) < 1e-12);
    RC_ASSERT(std::abs(continued.energy / full.energy - 1) < 1.5e-2);
    RC_ASSERT(std::abs(continued.peak_power / full.peak_power - 1) < 0.15);
  }));
}
#endif
