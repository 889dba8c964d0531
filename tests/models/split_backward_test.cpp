// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "models/lowering/lowering.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_recipes.hpp"
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/flat_graph.hpp"
#include "support/four_stages.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SmallCase tied_stages(PipelineSchedule schedule) {
  SmallCase c = four_stages(schedule, 12, 8);
  c.tied_embeddings = true;
  return c;
}

StepGraph lowered(const SmallCase& c, bool overlap_messages = true) {
  Scenario s = small_scenario(c);
  s.stack.overlap_pipeline_messages = overlap_messages;
  s.stack.bucket.value = 1 * megabyte;
  return flat(lower_training_step(s, plan_of(s), Folding::folded));
}

/// Ops on compute lanes by the name of their kernel.
std::map<std::string, int> kernels(const StepStructure& s) {
  std::map<std::string, int> count;
  for (std::size_t i = 0; i < s.op_count(); ++i)
    if (s.lanes[s.op_lane[OpId(i)]].kind == LaneKind::compute) ++count[s.work_names[s.op_work[OpId(i)]]];
  return count;
}

RecipeOp kernel(std::size_t work, bool for_weights, int after = -1) {
  return {WorkId(work), LayerCollective::none, StepCharge::compute_gemm, after, for_weights};
}

RecipeOp gather(bool for_weights, int after) {
  return {WorkId(9), LayerCollective::gather, StepCharge::tp_exposed, after, for_weights};
}

}  // namespace

TEST_CASE("a split backward pass keeps the order of each part, and gathers run one multiply ahead", "[models]") {
  // dgrad 0, wgrad 1; gather of x 2 for wgrad 4 behind dgrad 3; the same once more.
  const Recipe whole = {kernel(0, false), kernel(1, true),     gather(true, 0), kernel(2, false),  kernel(3, true, 2),
                        gather(false, 3), kernel(4, false, 5), gather(true, 6), kernel(5, true, 7)};
  const SplitRecipe parts = split_backward(whole, true);
  const auto works = [](const Recipe& recipe) {
    std::vector<std::size_t> ids;
    for (const RecipeOp& op : recipe) ids.push_back(op.work.value);
    return ids;
  };
  CHECK(works(parts.input) == std::vector<std::size_t>{0, 2, 9, 4});
  CHECK(parts.input[2].after == 1);
  CHECK(parts.input[3].after == 2);
  CHECK(works(parts.weight) == std::vector<std::size_t>{1, 9, 3, 9, 5});
  CHECK(parts.weight[1].after == -1);  // beside the first multiply
  CHECK(parts.weight[2].after == 1);
  CHECK(parts.weight[3].after == 0);  // beside the second
  CHECK(parts.weight[4].after == 3);
  CHECK(split_backward(whole, false).weight[3].after == 2);  // where nothing overlaps: behind it
}

TEST_CASE("every schedule runs the same kernels", "[models]") {
  const auto plain = kernels(lowered(tied_stages(PipelineSchedule::one_forward_one_backward)).structure);
  CHECK(kernels(lowered(tied_stages(PipelineSchedule::zero_bubble)).structure) == plain);
  CHECK(kernels(lowered(tied_stages(PipelineSchedule::dualpipe)).structure) == plain);
}

TEST_CASE("schedules end whether messages overlap or hold up the stage", "[models]") {
  for (const PipelineSchedule schedule : {PipelineSchedule::zero_bubble, PipelineSchedule::dualpipe})
    for (int stages = 2; stages <= 8; stages += 2)
      for (int micro_batches = 2 * stages; micro_batches <= 4 * stages; micro_batches += 2)
        for (const bool overlap : {true, false}) {
          SmallCase c = tied_stages(schedule);
          c.tensor = 1;
          c.data = 8;
          c.pipeline = stages;
          c.micro_batches = micro_batches;
          INFO(stages << " stages, " << micro_batches << " micro-batches, overlap " << overlap);
          const StepGraph graph = lowered(c, overlap);
          REQUIRE(replay(graph.structure, graph.timing).end.count > 0);
        }
}

TEST_CASE("gradients are reduced behind the last weight gradients of their bucket", "[models]") {
  for (const PipelineSchedule schedule : {PipelineSchedule::zero_bubble, PipelineSchedule::dualpipe}) {
    const StepGraph graph = lowered(tied_stages(schedule));
    const StepStructure& s = graph.structure;
    const ReplayResult result = replay(s, graph.timing);
    std::map<std::pair<std::size_t, int>, Picoseconds> first_layer;  // by rank and micro-batch: end of a layer's last
    int reductions = 0;
    for (std::size_t i = 0; i < s.op_count(); ++i) {
      const Lane& lane = s.lanes[s.op_lane[OpId(i)]];
      const std::pair key{lane.rank.value, s.op_note[OpId(i)]};
      if (s.work_names[s.op_work[OpId(i)]] == "qkv wgrad") first_layer.try_emplace(key, result.ops[OpId(i)].end);
      if (lane.name != "data parallel" || key.second < 0) continue;
      ++reductions;
      REQUIRE(first_layer.count(key) == 1);
      CHECK(result.ops[OpId(i)].start >= first_layer[key]);
    }
    CHECK(reductions > 0);
  }
}
