// SPDX-License-Identifier: Apache-2.0
#include "models/plan/plan_pipeline.hpp"

#include "models/plan/plan.hpp"
#include "models/search/choose_plan.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/four_stages.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// "CODE at place and place; ..." of all contradictions, in a source that names the fields in question.
std::string contradictions(const SmallCase& c) {
  Scenario s = small_scenario(c);
  s.source = read_json(std::make_shared<const SourceText>(
      "job.json", R"({"job": {"global_batch": 1, "parallel": {"pipeline": 1, "virtual_pipeline": 1,
    "schedule": "1f1b", "stage_layers": [1, 1, 1, 1]}}, "transformer": {"layers": 1}})"));
  try {
    plan_of(s);
  } catch (const ConfigError& error) {
    std::string text;
    for (const Diagnostic& d : error.diagnostics()) {
      text += d.code + ":";
      for (const Place& place : d.places) text += " " + place.pointer;
      text += "; ";
    }
    return text;
  }
  return {};
}

}  // namespace

TEST_CASE("a schedule that puts weight gradients off needs stages, and one chunk on each", "[models]") {
  for (const PipelineSchedule schedule : {PipelineSchedule::zero_bubble, PipelineSchedule::dualpipe}) {
    SmallCase c = four_stages(schedule, 8, 16);
    CHECK(contradictions(c).empty());
    c.virtual_pipeline = 2;
    CHECK(contradictions(c) == "E0313: /job/parallel/virtual_pipeline /job/parallel/schedule; ");
    c = four_stages(schedule, 8, 16);
    c.pipeline = 1;
    c.data = 8;
    CHECK(contradictions(c) == "E0310: /job/parallel/schedule /job/parallel/pipeline; ");
  }
}

TEST_CASE("DualPipe needs even stages and two even micro-batches for each", "[models]") {
  SmallCase c = four_stages(PipelineSchedule::dualpipe, 8, 16);
  c.micro_batches = 9;
  CHECK(contradictions(c) == "E0312: /job/global_batch /job/parallel/schedule; ");
  c.micro_batches = 6;
  CHECK(contradictions(c) == "E0312: /job/global_batch /job/parallel/schedule; ");
  c.micro_batches = 10;
  CHECK(contradictions(c).empty());
  c.pipeline = 3;
  c.tensor = 1;
  c.data = 8;
  CHECK(contradictions(c) == "E0310: /job/parallel/pipeline /job/parallel/schedule; ");
}

TEST_CASE("layers of stages must name every chunk and add up", "[models]") {
  SmallCase c = four_stages(PipelineSchedule::one_forward_one_backward, 8, 16);
  c.stage_layers = {3, 5, 5, 3};
  CHECK(contradictions(c).empty());
  CHECK(stage_layout(16, plan_of(small_scenario(c))).layers_on(1) == 5);
  c.stage_layers = {3, 5, 5};
  CHECK(contradictions(c) == "E0310: /job/parallel/stage_layers /job/parallel/pipeline; ");
  c.stage_layers = {3, 5, 5, 4};
  CHECK(contradictions(c) == "E0310: /job/parallel/stage_layers /transformer/layers; ");
  c.stage_layers = {8, 0, 8, 0};  // the last one holds the head
  CHECK(contradictions(c) == "E0310: /job/parallel/stage_layers/1; ");
  c.virtual_pipeline = 2;
  c.stage_layers = {1, 2, 2, 3, 3, 2, 2, 1};
  CHECK(contradictions(c).empty());
  CHECK(stage_layout(16, plan_of(small_scenario(c))).layers_on(3) == 4);
}

TEST_CASE("layers of stages tell the chunks that were left open", "[models]") {
  SmallCase c = four_stages(PipelineSchedule::one_forward_one_backward, 8, 16);
  c.stage_layers = {1, 2, 2, 3, 3, 2, 2, 1};
  Scenario s = small_scenario(c);
  s.job.parallel.virtual_pipeline.reset();
  CHECK(plan_of(s).virtual_pipeline == 2);
  c.schedule = PipelineSchedule::zero_bubble;
  c.stage_layers = {4, 4, 5, 3};
  s = small_scenario(c);
  s.job.parallel.virtual_pipeline.reset();
  CHECK(plan_of(s).virtual_pipeline == 1);
}

TEST_CASE("an open micro-batch leaves DualPipe its micro-batches", "[models]") {
  Scenario s = small_scenario(four_stages(PipelineSchedule::dualpipe, 8, 16));
  s.job.global_batch *= 2;  // 16 sequences for each replica
  s.job.micro_batch.reset();
  for (const AssumedMicroBatch usual : {AssumedMicroBatch::fastest, AssumedMicroBatch::one_per_stage}) {
    s.stack.assumed_micro_batch = usual;
    const Plan plan = choose_plan(s).plan;
    CHECK(schedule_takes(plan, plan.micro_batches));
  }
}

TEST_CASE("recomputation that saves nothing is not chosen", "[models]") {
  SmallCase c = four_stages(PipelineSchedule::zero_bubble, 8, 16);
  Scenario s = small_scenario(c);
  s.job.recompute.reset();
  s.cluster.accelerator.addressable_memory.reset();
  s.cluster.accelerator.memory.value = 1 * megabyte;  // nothing fits
  const ChosenPlan chosen = choose_plan(s);
  Plan full = chosen.plan;
  full.recompute = Recompute::full;
  REQUIRE(memory_under(s, full).total() >= chosen.memory.total());
  CHECK(chosen.plan.recompute == Recompute::selective);
  s.job.parallel.schedule = PipelineSchedule::one_forward_one_backward;
  CHECK(choose_plan(s).plan.recompute == Recompute::full);
}
