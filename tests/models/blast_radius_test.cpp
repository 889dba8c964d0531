// SPDX-License-Identifier: Apache-2.0
// What one failed part costs a job, and how a job that stops goes on.
#include "models/prediction/blast_radius.hpp"

#include <algorithm>

#include "models/prediction/predict_step.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Four replicas of 16 ranks on eight nodes, over links that a step waits for.
Scenario eight_nodes() {
  return small_scenario(two_stages_over_leaves());
}

Scenario resized_scenario(Scenario s) {
  s.cluster = cluster_of_size(s, s.cluster.spec.accelerators);
  return s;
}

FailureCost cost_of_part(const Scenario& s, const std::vector<std::string>& names) {
  return failure_cost(s, predict_step(s), failure_of(names));
}

const FailureCost& of_kind(const std::vector<FailureCost>& costs, const std::string& kind) {
  const auto found = std::ranges::find_if(costs, [&](const FailureCost& cost) { return cost.failure.kind == kind; });
  REQUIRE(found != costs.end());
  return *found;
}

}  // namespace

TEST_CASE("the step that failures are compared with is the predicted one", "[models][blast_radius]") {
  const Scenario s = eight_nodes();
  const StepPrediction step = predict_step(s);
  CHECK(settled_time(laid_out(s, step.plan), step.plan) == step.step_time);
}

TEST_CASE("a job has one row for each kind of part, and survives those with another way", "[models][blast_radius]") {
  const Scenario s = eight_nodes();
  const StepPrediction step = predict_step(s);
  const std::vector<FailureCost> costs = blast_radius(s, step);
  std::vector<std::string> kinds;
  for (const FailureCost& cost : costs) kinds.push_back(cost.failure.kind);
  CHECK(kinds == std::vector<std::string>{"leaf-spine cable", "NIC", "leaf switch", "spine switch", "rail",
                                          "accelerator", "node"});
  CHECK(of_kind(costs, "NIC").accelerators == 1);
  CHECK(of_kind(costs, "NIC").consequence == "1 GPU takes the next NIC of its node");
  CHECK(of_kind(costs, "leaf switch").accelerators == 4);  // one NIC of each of 4 nodes: 32 GPUs below a group
  CHECK(of_kind(costs, "rail").accelerators == 8);
  // The fabric names no switch: its one spine stands for all of them, and the second of two groups is cut off.
  CHECK(of_kind(costs, "spine switch").accelerators == 32);
  CHECK(of_kind(costs, "spine switch").consequence ==
        "4 nodes are cut off: the job stops (spine:0 stands for all switches of its group)");
  for (const FailureCost& cost : costs) {
    INFO(cost.failure.name());
    const std::string& kind = cost.failure.kind;
    CHECK(cost.stops == (kind == "accelerator" || kind == "node" || kind == "spine switch"));
    if (!cost.stops) CHECK(cost.loss(step) > -1e-3);
  }
  // Two accelerators on one NIC of 20 Gbit/s: a step that waits for links is much longer.
  CHECK(of_kind(costs, "NIC").loss(step) > 0.05);
  CHECK(of_kind(costs, "rail").loss(step) >= of_kind(costs, "NIC").loss(step) - 1e-9);
}

TEST_CASE("each row can be asked for by its name", "[models][blast_radius]") {
  const Scenario s = eight_nodes();
  const StepPrediction step = predict_step(s);
  for (const FailureCost& cost : blast_radius(s, step)) {
    INFO(cost.failure.name());
    const FailureCost again = failure_cost(s, step, failure_of({cost.failure.name()}));
    CHECK(again.step_time == cost.step_time);
    CHECK(again.consequence == cost.consequence);
  }
}

TEST_CASE("a dead accelerator takes its node, and the replicas that no longer find ranks", "[models][blast_radius]") {
  const Scenario s = eight_nodes();
  const StepPrediction step = predict_step(s);
  for (const char* dead : {"gpu:13", "node:1"}) {
    const FailureCost cost = failure_cost(s, step, failure_of({dead}));
    CHECK(cost.stops);
    CHECK(cost.loss(step) == 1);
    REQUIRE(cost.ways.size() == 2);
    const WayOn& spare = cost.ways[0];
    CHECK(spare.spare_nodes == 1);
    CHECK(spare.machine_spares == 0);
    CHECK(spare.step_time == step.step_time);
    // 64 - 8 = 56 ranks are 3.5 replicas of 16: 3 run, with 4 sequences each
    const WayOn& fewer = cost.ways[1];
    CHECK(fewer.replicas == 3);
    CHECK(fewer.accelerators == 48);
    CHECK(fewer.global_batch == 12);
    REQUIRE(fewer.step_time.has_value());
    CHECK(loss(fewer, step) == Approx(1 - 0.75 * (step.step_time / *fewer.step_time)));
    CHECK(tokens_per_second(*fewer.step_time, 12, 2048) == Approx(12 * 2048 / fewer.step_time->in(second)));
  }
  CHECK(cost_of_part(s, {"gpu:13"}).accelerators == 1);
  CHECK(cost_of_part(s, {"node:1"}).accelerators == 8);
}

TEST_CASE("a spare node of the machine takes the place of a dead one", "[models][blast_radius]") {
  SmallCase c = two_stages_over_leaves();
  c.tiers.back().accelerators = 128;
  Scenario s = small_scenario(c);
  s.job.placement = PlacementSpec{PlacementOrder::packed, 10, {}, 0};
  s = resized_scenario(std::move(s));
  const FailureCost cost = cost_of_part(s, {"node:1"});
  CHECK(cost.ways[0].machine_spares == 2);
  CHECK(cost.ways[0].step_time.has_value());
  // The spare nodes run no rank: nothing is lost with them.
  CHECK_THROWS_AS(cost_of_part(s, {"node:9"}), ConfigError);
}

TEST_CASE("a leaf with all NICs of its nodes cuts them off, and a job stops", "[models][blast_radius]") {
  Scenario s = eight_nodes();
  s.cluster.spec.fabric.rails = RailLayout::shared;
  s = resized_scenario(std::move(s));
  const FailureCost cost = cost_of_part(s, {"leaf:1"});
  CHECK(cost.stops);
  CHECK(cost.accelerators == 32);
  CHECK(cost.consequence.starts_with("4 nodes are cut off: the job stops"));
  CHECK(cost.ways[0].spare_nodes == 4);
  CHECK(cost.ways[1].replicas == 2);  // 32 ranks are left
}

TEST_CASE("experts go on with a multiple of the replicas that hold them once", "[models][blast_radius]") {
  SmallCase c = two_stages_over_leaves();
  c.tensor = 1;
  c.data = 32;
  c.expert = 8;
  c.experts = ExpertMixture{};
  c.experts->experts = 8;
  c.experts->per_token = 2;
  c.experts->ffn = 4096;
  const Scenario s = small_scenario(c);
  const FailureCost cost = cost_of_part(s, {"gpu:0"});
  // 56 ranks are 28 replicas of 2 stages; experts over 8 need a multiple of 8
  CHECK(cost.ways[1].replicas == 24);
}

TEST_CASE("a job of one node has nowhere to go but to a spare one", "[models][blast_radius]") {
  SmallCase c;
  c.tensor = 8;
  const Scenario s = small_scenario(c);
  const std::vector<FailureCost> costs = blast_radius(s, predict_step(s));
  REQUIRE(costs.size() == 2);  // no network
  CHECK(costs[0].ways[1].replicas == 0);
  CHECK_FALSE(costs[0].ways[1].step_time.has_value());
  CHECK(costs[0].ways[1].reason == "one replica takes 8 accelerators, 0 are left");
  CHECK_THROWS_AS(cost_of_part(s, {"leaf:0"}), ConfigError);
}

TEST_CASE("a further failure is counted from the step with those that are there", "[models][blast_radius]") {
  Scenario s = eight_nodes();
  s.cluster.spec.fabric.faults = {"leaf:0"};
  s = resized_scenario(std::move(s));
  const StepPrediction step = predict_step(s);
  // The NICs of rail 0 are gone: the next one serves two accelerators.
  const FailureCost cost = failure_cost(s, step, failure_of({"node:0.1"}));
  CHECK(cost.accelerators == 2);
  CHECK(cost.consequence == "2 GPUs take the next NIC of their nodes");
  CHECK(cost.loss(step) > 0);
}
