// SPDX-License-Identifier: Apache-2.0
#include "models/plan/placement.hpp"

#include <set>

#include "models/plan/plan.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

Plan plan(int tensor, int pipeline, int data) {
  Plan p;
  p.tensor = tensor;
  p.pipeline = pipeline;
  p.data = data;
  return p;
}

Placement place(Plan p, RankOrder order, int domain_size) {
  p.rank_order = order;
  return Placement(p, domain_size);
}

constexpr RankOrder data_inside = RankOrder::tensor_context_data_pipeline;
constexpr RankOrder pipeline_inside = RankOrder::tensor_context_pipeline_data;

}  // namespace

TEST_CASE("ranks are numbered from the innermost dimension outwards", "[models]") {
  const Plan p = plan(4, 2, 3);
  // tensor 1 + data 2 x 4 + pipeline 1 x (4 x 3)
  CHECK(place(p, data_inside, 8).rank({1, 2, 1}) == 21);
  // tensor 1 + pipeline 1 x 4 + data 2 x (4 x 2)
  CHECK(place(p, pipeline_inside, 8).rank({1, 2, 1}) == 21);
  CHECK(place(p, data_inside, 8).rank({0, 1, 1}) == 16);
  CHECK(place(p, pipeline_inside, 8).rank({0, 1, 1}) == 12);
  CHECK(place(p, pipeline_inside, 8).domain({0, 1, 1}) == 1);
}

TEST_CASE("no two ranks share a place", "[models]") {
  for (const RankOrder order : {data_inside, pipeline_inside}) {
    const Placement placement = place(plan(2, 3, 4), order, 8);
    std::set<int> ranks;
    for (int t = 0; t < 2; ++t)
      for (int d = 0; d < 4; ++d)
        for (int p = 0; p < 3; ++p) ranks.insert(placement.rank({t, d, p}));
    CHECK(ranks.size() == 24);
    CHECK(*ranks.begin() == 0);
    CHECK(*ranks.rbegin() == 23);
  }
}

TEST_CASE("tensor groups sit on one node or fill several", "[models]") {
  const GroupShape inside = place(plan(4, 1, 4), data_inside, 8).tensor_group();
  CHECK(inside.domains == 1);
  CHECK(inside.ranks_per_domain == 4);
  const GroupShape across = place(plan(16, 1, 1), data_inside, 8).tensor_group();
  CHECK(across.domains == 2);
  CHECK(across.ranks_per_domain == 8);
}

TEST_CASE("context ranks are neighbours, and shard groups are blocks of ranks with the same weights", "[models]") {
  Plan p = plan(2, 2, 3);
  p.context = 2;
  p.shard_group = 3;
  for (const RankOrder order : {data_inside, pipeline_inside}) {
    const Placement placement = place(p, order, 8);
    std::set<int> ranks;
    for (int t = 0; t < 2; ++t)
      for (int d = 0; d < p.gradient_ranks(); ++d)
        for (int s = 0; s < 2; ++s) ranks.insert(placement.rank({t, d, s}));
    CHECK(ranks.size() == 24);
    CHECK(placement.rank({0, 1, 0}) == 2);  // the second context rank of the first replica
  }
  const Placement placement = place(p, data_inside, 8);
  const auto members = [&](ReplicaGroup kind, int d) {
    std::vector<int> out;
    for (const RankCoordinates& at : placement.members(kind, {0, d, 0})) out.push_back(at.data);
    return out;
  };
  CHECK(members(ReplicaGroup::all, 4).size() == 6);
  CHECK(members(ReplicaGroup::context, 3) == std::vector<int>{2, 3});
  CHECK(members(ReplicaGroup::shard, 4) == std::vector<int>{3, 4, 5});
  CHECK(members(ReplicaGroup::mirrors, 4) == std::vector<int>{1, 4});
  for (const ReplicaGroup kind : {ReplicaGroup::all, ReplicaGroup::context, ReplicaGroup::shard, ReplicaGroup::mirrors})
    for (int d = 0; d < p.gradient_ranks(); ++d)
      CHECK(placement.members(kind, {0, d, 0}).front() == placement.first_member(kind, {0, d, 0}));
}

TEST_CASE("data groups use the nodes that their replicas reach", "[models]") {
  // Two replicas of 4 ranks share a node of 8: 8 replicas on 4 nodes.
  const GroupShape near = place(plan(4, 1, 8), data_inside, 8).replica_group(ReplicaGroup::all);
  CHECK(near.domains == 4);
  CHECK(near.ranks_per_domain == 2);
  // With the pipeline inside, each replica takes two nodes of its own.
  const GroupShape far = place(plan(4, 4, 8), pipeline_inside, 8).replica_group(ReplicaGroup::all);
  CHECK(far.domains == 8);
  CHECK(far.ranks_per_domain == 1);
}

TEST_CASE("a data group that fills its nodes unevenly keeps all its ranks", "[models]") {
  // Ranks 0 and 4 on the first node, rank 8 on the second: one NIC on the emptier node, yet three members.
  const GroupShape uneven = place(plan(4, 2, 3), data_inside, 8).replica_group(ReplicaGroup::all);
  CHECK(uneven.domains == 2);
  CHECK(uneven.ranks_per_domain == 1);
  CHECK(uneven.ranks() == 3);
}

TEST_CASE("replicas lie between tensor groups, and all their groups run at once", "[models]") {
  const Placement on(plan(4, 1, 2), 8);
  CHECK(on.replica_group(ReplicaGroup::all).places == DomainPlaces{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(on.tensor_group().places.empty());  // the first four
  const Placement pairs(plan(2, 1, 4), 8);
  CHECK(pairs.replica_group(ReplicaGroup::all).places == DomainPlaces{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(Placement(plan(1, 1, 8), 8).replica_group(ReplicaGroup::all).places.empty());
  CHECK(Placement(plan(8, 1, 2), 8).replica_group(ReplicaGroup::all).places.empty());  // one in each node
}

TEST_CASE("messages to the next stage go beside those of the other ranks of their stage", "[models]") {
  const Placement on(plan(2, 4, 1), 8);
  CHECK(on.pair({0, 0, 0}, {0, 0, 1}).places == DomainPlaces{{0, 2}, {1, 3}});
  CHECK(on.pair({1, 0, 1}, {1, 0, 2}).places == DomainPlaces{{3, 5}, {2, 4}});
  CHECK(on.pair({0, 0, 3}, {0, 0, 0}).places == DomainPlaces{{6, 0}, {7, 1}});
  const GroupShape far = Placement(plan(8, 2, 1), 8).pair({0, 0, 0}, {0, 0, 1});
  CHECK(far.domains == 2);
  CHECK(far.places.empty());
}
