// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_classes.hpp"

#include <set>

#include "models/plan/plan.hpp"
#include "support/catch.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/fabrics/fabric.hpp"

using namespace clusterwright;

namespace {

FabricTiers fabric(const std::vector<TierSpec>& tiers) {
  FabricSpec spec;
  spec.tiers = tiers;
  return make_fabric_tiers(spec, {1, 8, 8, 50 * gigabyte_per_second});
}

Placement place(int tensor, int pipeline, int data, RankOrder order = RankOrder::tensor_context_pipeline_data,
                int virtual_pipeline = 1) {
  Plan plan;
  plan.tensor = tensor;
  plan.pipeline = pipeline;
  plan.data = data;
  plan.virtual_pipeline = virtual_pipeline;
  plan.rank_order = order;
  return Placement(plan, 8);
}

int ranks(const RankClasses& classes) {
  int sum = 0;
  for (const RankClassId c : classes.ids()) sum += classes.multiplicity(c);
  return sum;
}

const RankClasses::Crossing& only_crossing(const RankClasses& classes, Stream stream, RankClassId c) {
  REQUIRE(classes.crossings(stream, c).size() >= 1u);
  return classes.crossings(stream, c).front();
}

}  // namespace

TEST_CASE("one rank is one class", "[models]") {
  const RankClasses classes = RankClasses::fold(place(1, 1, 1), fabric({}));
  CHECK(classes.count() == 1);
  CHECK(classes.multiplicity(RankClassId(0)) == 1);
}

TEST_CASE("16,384 accelerators in racks and tapered pods fold into one class per stage", "[models]") {
  // Pods of 3,072 hold 24 whole replicas of 128 ranks: stages are all that differs.
  const FabricTiers pods = fabric({{"rack", 16, 1, ""}, {"pod", 3072, 7, ""}, {"all", 24576, 1, ""}});
  const RankClasses classes = RankClasses::fold(place(8, 16, 128), pods);
  CHECK(classes.count() == 16);
  for (const RankClassId c : classes.ids()) CHECK(classes.multiplicity(c) == 1024);
  // Each of the 8 rings of a stage enters and leaves a pod once.
  CHECK(only_crossing(classes, Stream::data_ring, RankClassId(3)).load.count == 8);
  CHECK(only_crossing(classes, Stream::data_ring, RankClassId(3)).load.passes == 1);
  CHECK(classes.crossings(Stream::forward, RankClassId(3)).empty());
}

TEST_CASE("pods that cut a replica split the classes", "[models]") {
  // 3,136 = 24.5 replicas: every second pod boundary passes through the middle of a pipeline.
  const FabricTiers pods = fabric({{"rack", 16, 1, ""}, {"pod", 3136, 7, ""}, {"all", 25088, 1, ""}});
  const RankClasses classes = RankClasses::fold(place(8, 16, 128), pods);
  CHECK(classes.count() > 16);
  CHECK(ranks(classes) == 16384);
  const RankCoordinates whole{0, 0, 7}, cut{0, 24, 7};  // the message from stage 7 to 8 of replica 24 leaves its pod
  CHECK(classes.class_of(whole) != classes.class_of(cut));
  CHECK(classes.crossings(Stream::forward, classes.class_of(whole)).empty());
  CHECK_FALSE(classes.crossings(Stream::forward, classes.class_of(cut)).empty());
}

TEST_CASE("replicas whose neighbours sit at different distances are different", "[models]") {
  // 4 ranks per stage, 3 stages: replica 0 has stages on nodes 0, 0, 1; replica 1 on nodes 1, 2, 2.
  const RankClasses classes = RankClasses::fold(place(4, 3, 4), fabric({{"all", 4096, 1, ""}}));
  CHECK(classes.count() == 6);
  CHECK(classes.class_of({0, 0, 1}) != classes.class_of({0, 1, 1}));
  CHECK(classes.class_of({0, 0, 1}) == classes.class_of({0, 2, 1}));
}

TEST_CASE("a tensor group over two nodes has a class on each", "[models]") {
  // Leaves of 3 nodes: of a group on nodes 2 and 3, one half is under the first leaf, the other under the second.
  const RankClasses classes = RankClasses::fold(place(16, 2, 1), fabric({{"leaf", 24, 8, ""}, {"all", 4800, 1, ""}}));
  CHECK(classes.count() == 4);
  CHECK(classes.class_of({0, 0, 1}) == classes.class_of({7, 0, 1}));
  CHECK(classes.class_of({7, 0, 1}) != classes.class_of({8, 0, 1}));
  CHECK(classes.crossings(Stream::forward, classes.class_of({0, 0, 0})).empty());
  CHECK(classes.crossings(Stream::forward, classes.class_of({8, 0, 0})).size() == 2);  // up and down
}

TEST_CASE("replicas whose groups lie differently over tapered leaves are different", "[models]") {
  // Three tensor groups of two nodes below leaves of three: nodes 0 and 1, 2 and 3, 4 and 5. Only the second leaves its
  // leaf, and the loads of both leaves are alike.
  const FabricTiers leaves = fabric({{"leaf", 24, 8, ""}, {"all", 4800, 1, ""}});
  const RankClasses tensor = RankClasses::fold(place(16, 1, 3), leaves);
  CHECK(tensor.class_of({0, 0, 0}) == tensor.class_of({0, 2, 0}));
  CHECK(tensor.class_of({0, 0, 0}) != tensor.class_of({0, 1, 0}));
  CHECK(tensor.crossings(Stream::tensor_ring, tensor.class_of({0, 0, 0})).empty());
  CHECK_FALSE(tensor.crossings(Stream::tensor_ring, tensor.class_of({0, 1, 0})).empty());
  // The same with context groups of two ranks, each a node.
  Plan plan;
  plan.tensor = 8;
  plan.context = 2;
  plan.data = 3;
  const RankClasses context = RankClasses::fold(Placement(plan, 8), leaves);
  CHECK(context.class_of({0, 0, 0}) != context.class_of({0, 2, 0}));
}

TEST_CASE("distances count for every node of a tensor group", "[models]") {
  // Four nodes per replica, leaves of three. From stage 0 to 1, replica 1 leaves its leaf on both nodes (4 to 6, 5 to
  // 7), replica 2 only on the first (8 to 10; 9 to 11).
  const FabricTiers leaves = fabric({{"leaf", 24, 1, ""}, {"all", 4800, 1, ""}});
  const RankClasses classes = RankClasses::fold(place(16, 2, 3), leaves);
  CHECK(classes.class_of({8, 1, 0}) != classes.class_of({8, 2, 0}));
}

TEST_CASE("a straggler splits its replica and its own tensor group, nothing else", "[models]") {
  // 16 stages of 8 ranks, 128 replicas. Replica 3 gets classes of its own; its group in stage 5 has one more.
  const Placement placement = place(8, 16, 128);
  const FabricTiers tiers = fabric({{"all", 16384, 1, ""}});
  const RankClasses classes = RankClasses::fold(placement, tiers, {{placement.rank({6, 3, 5}), {0.8}}});
  CHECK(classes.count() == 33);
  const RankClassId slow = classes.class_of({6, 3, 5}), peers = classes.class_of({0, 3, 5});
  CHECK(classes.multiplicity(slow) == 1);
  CHECK(classes.multiplicity(peers) == 7);
  CHECK(classes.clock(slow).highest == 0.8);
  CHECK(classes.clock(peers) == RankClock{});
  CHECK(classes.slice_of(slow) == classes.slice_of(peers));
  CHECK(classes.classes_of_slice(peers).size() == 2);
  CHECK(classes.multiplicity(classes.class_of({6, 0, 5})) == 127 * 8);
}

TEST_CASE("replicas whose stragglers differ only in their place in the tensor group share their classes", "[models]") {
  const Placement placement = place(8, 2, 4);
  const FabricTiers tiers = fabric({{"all", 16384, 1, ""}});
  const RankClasses classes =
      RankClasses::fold(placement, tiers, {{placement.rank({6, 3, 1}), {0.8}}, {placement.rank({1, 2, 1}), {0.8}}});
  CHECK(classes.count() == 5);
  CHECK(classes.multiplicity(classes.class_of({6, 3, 1})) == 2);
  CHECK(classes.class_of({1, 2, 1}) == classes.class_of({6, 3, 1}));
}

TEST_CASE("unfolded, every rank is a class", "[models]") {
  const Placement placement = place(4, 3, 4);
  const RankClasses classes = RankClasses::unfold(placement, fabric({{"all", 4096, 1, ""}}));
  CHECK(classes.count() == 48);
  std::set<int> seen;
  for (const RankClassId c : classes.ids()) {
    CHECK(classes.multiplicity(c) == 1);
    CHECK(classes.class_of(classes.representative(c)) == c);
    seen.insert(placement.rank(classes.representative(c)));
  }
  CHECK(seen.size() == 48);
}
