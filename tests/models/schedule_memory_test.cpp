// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_schedule.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Memory of the stages of a plan, which keeps the scenario it came from.
struct Stages {
  explicit Stages(const SmallCase& c)
      : scenario(small_scenario(c)), plan(plan_of(scenario)), layout(stage_layout(scenario.transformer.layers, plan)) {}
  PlannedJob memory() const { return planned_job(scenario.transformer, scenario.job, scenario.stack, plan, layout); }
  MemoryUse of(int stage) const { return memory_of_stage(memory(), stage); }

  Scenario scenario;
  Plan plan;
  StageLayout layout;
};

SmallCase four_deep(PipelineSchedule schedule) {
  SmallCase c;
  c.schedule = schedule;
  c.pipeline = 4;
  c.data = 4;
  c.micro_batches = 16;
  c.layers = 12;
  return c;
}

/// Bytes of a layer between its backward pass and its weight gradients: 512 tokens of h = 512, f = 4h, gated. Inputs of
/// the four multiplies are 3h + f wide, gradients of their results 5h + 2f.
constexpr double kept_by_layer = 512 * 2 * (8 * 512 + 3 * 2048);

}  // namespace

TEST_CASE("zero bubble stores on its first stage what 1F1B does, and inputs of put-off multiplies behind it",
          "[models]") {
  const Stages plain(four_deep(PipelineSchedule::one_forward_one_backward));
  const Stages split(four_deep(PipelineSchedule::zero_bubble));
  CHECK(split.of(0).activations == plain.of(0).activations);
  const double chunk = 3 * layer_activations(split.memory()).in(byte);
  // Stage 2 has 2 micro-batches in flight as in 1F1B, and 2 more that wait for their weight gradients.
  CHECK(plain.of(2).activations.in(byte) == Approx(2 * chunk));
  CHECK(split.of(2).activations.in(byte) == Approx(2 * chunk + 2 * 3 * kept_by_layer));
  CHECK(split.of(2).weights == plain.of(2).weights);
}

TEST_CASE("the last stage of zero bubble also keeps gradients of logits", "[models]") {
  const Stages split(four_deep(PipelineSchedule::zero_bubble));
  const double head = 512 * 2 * (512 + 2048);  // input and logits
  // 4 micro-batches, just before the first of their weight gradients.
  CHECK(split.of(3).activations.in(byte) == Approx(4 * (3 * kept_by_layer + head)));
}

TEST_CASE("gradients that a tensor group has gathered stay whole until their weight gradients", "[models]") {
  SmallCase c = four_deep(PipelineSchedule::zero_bubble);
  c.tensor = 2;
  c.data = 2;
  const Stages split(c);
  const double chunk = 3 * layer_activations(split.memory()).in(byte);
  const double whole = 512 * 2 * 2 * 512;  // behind projection and MLP
  const double kept = 3 * (whole + (kept_by_layer - whole) / 2);
  REQUIRE(kept > chunk);
  CHECK(split.of(0).activations.in(byte) == Approx(3 * chunk + kept));
}

TEST_CASE("DualPipe holds two parts of the model and one chunk more than stages", "[models]") {
  const Stages plain(four_deep(PipelineSchedule::one_forward_one_backward));
  const Stages both(four_deep(PipelineSchedule::dualpipe));
  const double chunk = 3 * layer_activations(both.memory()).in(byte);
  for (int stage = 0; stage < 4; ++stage) {
    CHECK(both.of(stage).activations.in(byte) == Approx(5 * chunk));
    CHECK(both.of(stage).weights == plain.of(stage).weights + plain.of(3 - stage).weights);
    CHECK(both.of(stage).gradients == plain.of(stage).gradients + plain.of(3 - stage).gradients);
    // ZeRO-1: the copies share one state.
    CHECK(both.of(stage).optimizer == (plain.of(stage).optimizer + plain.of(3 - stage).optimizer) / 2);
  }
}

TEST_CASE("without sharding, each copy of DualPipe's weights has its own state", "[models]") {
  SmallCase c = four_deep(PipelineSchedule::dualpipe);
  c.sharding = Sharding::none;
  const Stages both(c);
  c.schedule = PipelineSchedule::one_forward_one_backward;
  const Stages plain(c);
  CHECK(both.of(1).optimizer == plain.of(1).optimizer + plain.of(2).optimizer);
}

TEST_CASE("tied tables of DualPipe meet on the stages at the ends", "[models]") {
  SmallCase c = four_deep(PipelineSchedule::dualpipe);
  const Stages untied(c);
  c.tied_embeddings = true;
  const Stages tied(c);
  const double table = 2.0 * 2048 * 512;  // 16 bit
  CHECK((untied.of(0).weights - tied.of(0).weights).in(byte) == Approx(table));
}
