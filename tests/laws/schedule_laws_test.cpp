// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>

#include "models/lowering/lowering.hpp"
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/only_layers.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Equal stages of layers whose weight gradients are the shortest of their passes.
SmallCase random_stages(PipelineSchedule schedule) {
  SmallCase c;
  c.per_node = 2;
  c.schedule = schedule;
  c.pipeline = 2 * *rc::gen::inRange(1, 5);
  c.hidden = 1024;
  c.sequence = 2048;
  return c;
}

struct ReplayedStages {
  explicit ReplayedStages(SmallCase c) {
    const int per_chunk = *rc::gen::inRange(1, 3);
    c.layers = c.pipeline * c.virtual_pipeline * per_chunk;
    const Scenario s = small_scenario(c);
    StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
    chunk = keep_only_layers(graph);
    for (Picoseconds* time : {&chunk.forward, &chunk.input, &chunk.weight}) time->count *= per_chunk;
    const std::int64_t busy = c.micro_batches * c.virtual_pipeline * chunk.whole().count;
    bubble = replay(graph.structure, graph.timing).end.count - busy;
    RC_LOG() << "p" << c.pipeline << " v" << c.virtual_pipeline << " m" << c.micro_batches << " F "
             << chunk.forward.count << " B " << chunk.input.count << " W " << chunk.weight.count << " bubble "
             << bubble;
  }
  LayerTimes chunk;
  std::int64_t bubble = 0;
};

}  // namespace

TEST_CASE("with equal stages and free messages, a pipeline loses exactly its bubble", "[laws]") {
  REQUIRE(rc::check("(stages - 1) x (F + B) / chunks", [] {
    SmallCase c = random_stages(PipelineSchedule::one_forward_one_backward);
    c.virtual_pipeline = *rc::gen::inRange(1, 4);
    c.micro_batches = *rc::gen::inRange(c.virtual_pipeline == 1 ? 1 : c.pipeline, 4 * c.pipeline + 1);
    const ReplayedStages step(c);
    RC_ASSERT(step.bubble == (c.pipeline - 1) * step.chunk.whole().count);
  }));
}

TEST_CASE("zero bubble loses what was published", "[laws]") {
  REQUIRE(rc::check("(stages - 1) x (F + B - 2W)", [] {
    SmallCase c = random_stages(PipelineSchedule::zero_bubble);
    c.micro_batches = *rc::gen::inRange(c.pipeline, 4 * c.pipeline + 1);
    const ReplayedStages step(c);
    const LayerTimes& t = step.chunk;
    RC_ASSERT(t.weight <= std::min(t.forward, t.input));  // else weight parts outgrow the gaps
    RC_ASSERT(step.bubble == (c.pipeline - 1) * (t.whole().count - 2 * t.weight.count));
  }));
}

TEST_CASE("DualPipe loses what was published, or up to one forward pass less", "[laws]") {
  // Less, because the stages in the middle start their first pair one behind the other (split_schedules_test.cpp).
  REQUIRE(rc::check("(stages / 2 - 1) x (F&B + B - 3W)", [] {
    SmallCase c = random_stages(PipelineSchedule::dualpipe);
    c.micro_batches = 2 * *rc::gen::inRange(c.pipeline, 2 * c.pipeline + 1);
    const ReplayedStages step(c);
    const LayerTimes& t = step.chunk;
    const std::int64_t half = c.pipeline / 2 - 1;
    const std::int64_t published = half * (t.whole().count + t.backward().count - 3 * t.weight.count);
    const std::int64_t saved = std::min(t.forward.count, half * (t.input.count - t.forward.count));
    RC_ASSERT(t.weight <= t.forward);
    RC_ASSERT(t.forward <= t.input);
    RC_ASSERT(step.bubble == published - saved);
  }));
}
