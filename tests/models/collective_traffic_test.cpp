// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_traffic.hpp"

#include <numeric>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/collective_names.hpp"
#include "support/ids.hpp"
#include "support/small_groups.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string refusal(const TrafficCase& on, CollectiveOp op, Algorithm algorithm, int ranks) {
  try {
    on.traffic(op, algorithm, ranks);
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().at(0).code == "E0332");
    return error.diagnostics().at(0).message;
  }
  FAIL("accepted");
  return {};
}

/// 3 nodes of 2 with a NIC each: endpoint = accelerator.
TrafficCase pairs_on_three() {
  return TrafficCase({.nodes = 3, .per_node = 2, .nics = 2, .leaf_nodes = 1});
}

double sent_by(const TrafficStage& stage, VertexId endpoint) {
  double sum = 0;
  for (const auto& [pair, bytes] : pair_bytes(stage))
    if (pair.first == endpoint) sum += bytes;
  return sum;
}

}  // namespace

TEST_CASE("a group inside one node or rack sends nothing between nodes", "[models][traffic]") {
  CHECK(pairs_on_three().traffic(all_reduce, Algorithm::ring, 2).empty());
  const TrafficCase rack({.nodes = 4, .per_node = 4, .nics = 4, .domain = 16, .leaf_nodes = 4});
  CHECK(rack.traffic(all_reduce, Algorithm::ring, 16).empty());
}

TEST_CASE("a ring of nodes is spread over its members' NICs", "[models][traffic]") {
  const auto stages = pairs_on_three().traffic(all_reduce, Algorithm::ring, 6);
  REQUIRE(stages.size() == 1);
  CHECK(pair_bytes(stages[0]) == PairBytes{{{0_v, 2_v}, 0.5},
                                           {{1_v, 3_v}, 0.5},
                                           {{2_v, 4_v}, 0.5},
                                           {{3_v, 5_v}, 0.5},
                                           {{4_v, 0_v}, 0.5},
                                           {{5_v, 1_v}, 0.5}});
}

TEST_CASE("a broadcast leaves the ring open", "[models][traffic]") {
  const auto stages = pairs_on_three().traffic(CollectiveOp::broadcast, Algorithm::ring, 6);
  CHECK(pair_bytes(stages[0]) == PairBytes{{{0_v, 2_v}, 0.5}, {{1_v, 3_v}, 0.5}, {{2_v, 4_v}, 0.5}, {{3_v, 5_v}, 0.5}});
}

TEST_CASE("an emptier node lets fewer channels through", "[models][traffic]") {
  // Members 2, 2 and 1: whole channels between the full nodes, one NIC into and out of the third.
  const auto stages = pairs_on_three().traffic(all_gather, Algorithm::ring, 5);
  CHECK(pair_bytes(stages[0]) == PairBytes{{{0_v, 2_v}, 0.5}, {{1_v, 3_v}, 0.5}, {{2_v, 4_v}, 1}, {{4_v, 0_v}, 1}});
}

TEST_CASE("accelerators share NICs, or spread over several", "[models][traffic]") {
  const TrafficCase shared({.nodes = 2, .per_node = 4, .nics = 2});  // 0 and 1 on the first NIC
  CHECK(pair_bytes(shared.traffic(all_gather, Algorithm::ring, 8)[0]) ==
        PairBytes{{{0_v, 2_v}, 0.5}, {{1_v, 3_v}, 0.5}, {{2_v, 0_v}, 0.5}, {{3_v, 1_v}, 0.5}});
  const TrafficCase several({.nodes = 2, .per_node = 2, .nics = 4});
  const auto stage = several.traffic(all_gather, Algorithm::ring, 4)[0];
  CHECK(pair_bytes(stage).size() == 8);
  for (const VertexId nic : several.graph.endpoint_ids()) CHECK(sent_by(stage, nic) == Approx(0.25));
}

TEST_CASE("trees send half of the payload over each edge, up and down", "[models][traffic]") {
  const TrafficCase nodes({.nodes = 4, .per_node = 1, .nics = 1, .leaf_nodes = 1});
  const auto stages = nodes.traffic(all_reduce, Algorithm::tree, 4);
  REQUIRE(stages.size() == 1);
  // wire = 2 * 3/4 of the payload, so half of the payload is 1/3 of it. Edges: 0-2, 2-1, 2-3 and 3-1, 1-2, 1-0.
  const double half = 1.0 / 3;
  const PairBytes pairs = pair_bytes(stages[0]);
  CHECK(pairs.at({0_v, 2_v}) == Approx(half));
  CHECK(pairs.at({1_v, 2_v}) == Approx(2 * half));  // an edge of both trees
  CHECK(pairs.at({1_v, 0_v}) == Approx(half));
  CHECK(pairs.size() == 10);
  CHECK(sent_by(stages[0], 2_v) == Approx(4 * half));  // interior once, leaf once
  CHECK(sent_by(stages[0], 0_v) == Approx(2 * half));  // a root with one child, a leaf
}

TEST_CASE("two nodes merely exchange along their trees", "[models][traffic]") {
  // Half up and half down each way make the payload; wire is 2 * 3/4 of it.
  const TrafficCase nodes({.nodes = 2, .per_node = 2, .nics = 2});
  const auto stage = nodes.traffic(all_reduce, Algorithm::nvls_tree, 4)[0];
  CHECK(sent_by(stage, 0_v) + sent_by(stage, 1_v) == Approx(1 / 1.5));
}

TEST_CASE("switches reduce the share of every channel", "[models][traffic]") {
  const auto stage = pairs_on_three().traffic(all_reduce, Algorithm::collnet_direct, 6)[0];
  CHECK(stage.demands.empty());
  REQUIRE(stage.reductions.size() == 2);
  CHECK(stage.reductions[1].members == vertices({1, 3, 5}));
  CHECK(stage.reductions[1].bytes == Approx(0.5 / (2 * 5.0 / 6)));  // half of the payload
}

TEST_CASE("parallel aggregated trees send little far and much near", "[models][traffic]") {
  const TrafficCase nodes({.nodes = 5, .per_node = 1, .nics = 1, .leaf_nodes = 1});
  const auto stages = nodes.traffic(all_gather, Algorithm::pat, 5);
  REQUIRE(stages.size() == 3);
  // Offsets 1 to 4 of 5 ranks: the bit 4 is lowest in 4, the bit 2 in 2, the bit 1 in 1 and 3.
  CHECK(pair_bytes(stages[0]).at({0_v, 4_v}) == Approx(0.25));
  CHECK(pair_bytes(stages[1]).at({0_v, 2_v}) == Approx(0.25));
  CHECK(pair_bytes(stages[2]).at({0_v, 1_v}) == Approx(0.5));
  const auto back = nodes.traffic(CollectiveOp::reduce_scatter, Algorithm::pat, 5);
  CHECK(pair_bytes(back[0]).at({1_v, 0_v}) == Approx(0.5));
  CHECK(pair_bytes(back[2]).at({4_v, 0_v}) == Approx(0.25));
}

TEST_CASE("halving sends half of the payload next door, and ever less farther away", "[models][traffic]") {
  const TrafficCase nodes({.nodes = 4, .per_node = 1, .nics = 1, .leaf_nodes = 1});
  const auto stages = nodes.traffic(all_reduce, Algorithm::halving_doubling, 4);
  REQUIRE(stages.size() == 4);
  const double wire = 1.5;
  CHECK(pair_bytes(stages[0]).at({0_v, 1_v}) == Approx(0.5 / wire));
  CHECK(pair_bytes(stages[1]).at({0_v, 2_v}) == Approx(0.25 / wire));
  CHECK(pair_bytes(stages[2]) == pair_bytes(stages[1]));
  CHECK(pair_bytes(stages[3]) == pair_bytes(stages[0]));
  CHECK(refusal(pairs_on_three(), all_reduce, Algorithm::halving_doubling, 6).find("power of two") !=
        std::string::npos);
}

TEST_CASE("on a torus every node sends the same to each neighbour", "[models][traffic]") {
  const TrafficCase grid({.nodes = 8, .per_node = 1, .nics = 1, .torus = {4, 2}});
  const auto pairs = pair_bytes(grid.traffic(all_reduce, Algorithm::torus, 8)[0]);
  CHECK(pairs.at({0_v, 1_v}) == Approx(1. / 3));
  CHECK(pairs.at({0_v, 3_v}) == Approx(1. / 3));
  CHECK(pairs.at({0_v, 4_v}) == Approx(1. / 3));  // a side of 2 is one cable
  CHECK(pairs.size() == 3 * 8);
}

TEST_CASE("a part of a torus is a block or refused", "[models][traffic]") {
  const TrafficCase grid({.nodes = 16, .per_node = 1, .nics = 1, .torus = {4, 4}});
  const auto pairs = pair_bytes(grid.traffic(all_gather, Algorithm::torus, accelerators({0, 1, 4, 5}))[0]);
  CHECK(pairs.at({0_v, 1_v}) == Approx(0.5));
  CHECK(pairs.at({0_v, 4_v}) == Approx(0.5));
  const auto row = pair_bytes(grid.traffic(all_gather, Algorithm::torus, accelerators({0, 1, 2}))[0]);
  CHECK(row.at({0_v, 1_v}) == Approx(1));
  CHECK(row.at({2_v, 0_v}) == Approx(1));  // a line sends one way, and back by the other direction of its cables
  CHECK(refusal(grid, all_gather, Algorithm::torus, 5).find("do not form a block") != std::string::npos);
  CHECK(refusal(pairs_on_three(), all_gather, Algorithm::torus, 6).find("not a torus") != std::string::npos);
}

TEST_CASE("direct all-to-all joins every pair of NICs of different nodes", "[models][traffic]") {
  const auto stage = pairs_on_three().traffic(all_to_all, Algorithm::direct, 6)[0];
  const PairBytes pairs = pair_bytes(stage);
  CHECK(pairs.size() == 6 * 4);
  // A rank sends S / 6 to each of 4 ranks elsewhere, S * 4 / 6 in all.
  for (const auto& [pair, bytes] : pairs) CHECK(bytes == Approx(0.25));
  const TrafficCase nodes({.nodes = 4, .per_node = 4, .nics = 1});
  const auto shared = nodes.traffic(all_to_all, Algorithm::direct, 16)[0];
  REQUIRE(shared.exchanges.size() == 1);
  CHECK(shared.exchanges[0].bytes == Approx(16 * 1.0 / 12));  // 4 x 4 pairs of ranks
}

TEST_CASE("too many pairs become one exchange with the same bytes", "[models][traffic]") {
  const TrafficCase large({.nodes = 400, .per_node = 4, .nics = 4});
  const auto stage = large.traffic(all_to_all, Algorithm::direct, 1600)[0];
  CHECK(stage.demands.empty());
  REQUIRE(stage.exchanges.size() == 1);
  CHECK(stage.exchanges[0].bytes * 1599 == Approx(1));  // every rank sends its wire
}

TEST_CASE("rails exchange among themselves", "[models][traffic]") {
  for (const Algorithm algorithm : {Algorithm::rail_aligned, Algorithm::hierarchical}) {
    const auto stage = pairs_on_three().traffic(all_to_all, algorithm, 6)[0];
    CHECK(stage.demands.empty());
    REQUIRE(stage.exchanges.size() == 2);
    CHECK(stage.exchanges[1].members == vertices({1, 3, 5}));
    CHECK(stage.exchanges[1].bytes == Approx(0.5));  // two other nodes share the wire
  }
}

TEST_CASE("a rail that a node lacks is reached through another member", "[models][traffic]") {
  // Node 2 has rank 4 alone. It sends S / 5 to ranks 0 and 2 by rail 0, to 1 and 3 by its only NIC; wire: 5 ranks less
  // floor(5 / 3) of the domain, 4/5 of S.
  const PairBytes pairs = pair_bytes(pairs_on_three().traffic(all_to_all, Algorithm::rail_aligned, 5)[0]);
  CHECK(pairs.at({4_v, 0_v}) == Approx(0.25));
  CHECK(pairs.at({4_v, 1_v}) == Approx(0.25));
  CHECK(pairs.at({0_v, 4_v}) == Approx(0.5));  // both ranks of node 0 forward to rail 0
  CHECK(pairs.count({1_v, 4_v}) == 0);
  CHECK(pairs.at({1_v, 3_v}) == Approx(0.5));
}

TEST_CASE("members take turns for the rails that their node lacks", "[models][traffic]") {
  // Node 1 has ranks 4 and 5 alone, on rails 0 and 1: rank 2 hears from rank 4, rank 3 from rank 5.
  const TrafficCase on({.nodes = 2, .per_node = 4, .nics = 4});
  const PairBytes pairs = pair_bytes(on.traffic(all_to_all, Algorithm::rail_aligned, 6)[0]);
  for (const auto& pair : {std::pair{4_v, 0_v}, {5_v, 1_v}, {4_v, 2_v}, {5_v, 3_v}}) CHECK(pairs.count(pair) == 1);
  CHECK(pairs.size() == 4 + 2);
}

TEST_CASE("one copy to each node gathers with less than all pairs", "[models][traffic]") {
  const auto once = pairs_on_three().traffic(all_gather, Algorithm::hierarchical, 6);
  // Every rank's S / 6 goes to 2 nodes; wire is 5/6 of S.
  CHECK(total_bytes(once) == Approx(6 * 2 / 5.0));
  CHECK(total_bytes(pairs_on_three().traffic(all_gather, Algorithm::direct, 6)) == Approx(6 * 4 / 5.0));
}

TEST_CASE("messages go to the next rank, as nccl-tests send them", "[models][traffic]") {
  const auto pairs = pair_bytes(pairs_on_three().traffic(CollectiveOp::send, Algorithm::direct, 6)[0]);
  CHECK(pairs == PairBytes{{{1_v, 2_v}, 1}, {{3_v, 4_v}, 1}, {{5_v, 0_v}, 1}});
}

TEST_CASE("algorithms refuse what they cannot do", "[models][traffic]") {
  const TrafficCase on = pairs_on_three();
  refusal(on, all_to_all, Algorithm::ring, 6);
  refusal(on, all_gather, Algorithm::tree, 6);
  refusal(on, all_reduce, Algorithm::pat, 6);
  refusal(on, CollectiveOp::broadcast, Algorithm::nvls, 6);
  refusal(on, all_gather, Algorithm::collnet_chain, 6);
  refusal(on, all_reduce, Algorithm::rail_aligned, 6);
  refusal(on, CollectiveOp::send, Algorithm::ring, 6);
  CHECK(refusal(on, CollectiveOp::broadcast, Algorithm::direct, 6) ==
        "direct cannot run here: one rank would send everything");
}

TEST_CASE("where rails never meet, senders use the receiver's rail", "[models][traffic]") {
  TrafficCase on({.nodes = 3, .per_node = 2, .nics = 2, .leaf_nodes = 1});
  on.cluster.spec.fabric.rails = RailLayout::planes;
  CHECK(pair_bytes(on.traffic(CollectiveOp::send, Algorithm::direct, 6)[0]) ==
        PairBytes{{{0_v, 2_v}, 1}, {{2_v, 4_v}, 1}, {{4_v, 0_v}, 1}});
  CHECK(pair_bytes(on.traffic(all_to_all, Algorithm::direct, 6)[0]) ==
        pair_bytes(on.traffic(all_to_all, Algorithm::rail_aligned, 6)[0]));
  CHECK(total_bytes(on.traffic(all_gather, Algorithm::direct, 6)) == Approx(6 * 4 / 5.0));
}
