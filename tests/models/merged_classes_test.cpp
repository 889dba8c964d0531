// SPDX-License-Identifier: Apache-2.0
// Replicas on scattered nodes that share classes.
#include "models/lowering/rank_classes.hpp"
#include "models/plan/placement.hpp"
#include "models/prediction/folding_check.hpp"
#include "models/settling/step_simulation.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 32 replicas of 16 stages, each rank on a node of its own, under leaves of 256 nodes.
SmallCase stages_on_nodes() {
  SmallCase c;
  c.per_node = 1;
  c.pipeline = 16;
  c.data = 32;
  c.layers = 16;
  c.micro_batches = 16;
  c.hidden = 2048;
  c.tiers = {{"leaf", 256, 1, ""}, {"spine", 4096, 1, ""}};
  return c;
}

Scenario on_machine(const SmallCase& c, PlacementOrder order, int machine_nodes) {
  Scenario s = small_scenario(c);
  s.job.placement = PlacementSpec{order, machine_nodes, {}, 1};
  s.cluster.spec.fabric.routing = Routing::spray;
  s.cluster = cluster_of_size(s, c.accelerators());
  return s;
}

RankClasses classes_of(const Scenario& s) {
  return rank_classes(s, Placement(plan_of(s), s.cluster.blocks), Folding::folded);
}

Seconds time_of(const Scenario& s) {
  return to_seconds(simulate_step(s, plan_of(s)).result.end);
}

}  // namespace

TEST_CASE("shuffled replicas share classes beyond 256, and the slowest way stands for them", "[models]") {
  const Scenario s = on_machine(stages_on_nodes(), PlacementOrder::shuffled, 512);
  const RankClasses classes = classes_of(s);  // each message stays below its leaf or not: no two replicas are alike
  CHECK(classes.merged());
  CHECK(classes.count() == 16);
  for (const RankClassId c : classes.ids()) CHECK(classes.multiplicity(c) == 32);
  const UnfoldedCheck check = check_folding(s, plan_of(s));
  CHECK(check.approximate);
  CHECK(check.ranks == 512);
  const double ratio = static_cast<double>(check.folded_end.count) / static_cast<double>(check.end.count);
  CHECK(ratio > 0.999);
  CHECK(ratio < 1.01);
}

TEST_CASE("merged replicas keep their stragglers apart", "[models]") {
  SmallCase c = stages_on_nodes();
  const Scenario placed = on_machine(c, PlacementOrder::shuffled, 512);
  const int accelerator = static_cast<int>(placed.cluster.blocks.accelerator(77).value);
  c.slow = {{accelerator, {}, 0.8}};
  const Scenario s = on_machine(c, PlacementOrder::shuffled, 512);
  const RankClasses classes = classes_of(s);
  CHECK(classes.merged());
  CHECK(classes.count() == 32);  // its replica, and all others
  int slow = 0;
  for (const RankClassId rank : classes.ids())
    if (classes.clock(rank).relative < 1) slow += classes.multiplicity(rank);
  CHECK(slow == 1);
  CHECK(time_of(s) > time_of(placed));
}

TEST_CASE("fewer classes stay exact wherever the nodes are", "[models]") {
  SmallCase c = stages_on_nodes();
  c.data = 8;  // 128 ranks
  for (const PlacementOrder order : {PlacementOrder::scattered, PlacementOrder::shuffled}) {
    const Scenario s = on_machine(c, order, 512);
    CHECK_FALSE(classes_of(s).merged());
    CHECK(check_folding(s, plan_of(s)).same());
  }
}

TEST_CASE("any nodes of a machine under one switch take the time of the first ones", "[models]") {
  SmallCase c = stages_on_nodes();
  c.data = 4;
  c.tiers = {{"all", 4096, 1, ""}};
  const Seconds packed = time_of(small_scenario(c));
  CHECK(time_of(on_machine(c, PlacementOrder::scattered, 256)) == packed);
  CHECK(time_of(on_machine(c, PlacementOrder::shuffled, 256)) == packed);
}
