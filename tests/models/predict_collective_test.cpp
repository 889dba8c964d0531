// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/predict_collective.hpp"

#include <cmath>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/collective_names.hpp"
#include "support/ids.hpp"
#include "support/predicted_groups.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Nodes of 8 H100 with a NIC each, two below a leaf.
struct Tree {
  explicit Tree(int nodes, double taper = 1)
      : cluster(cluster_on({fat_tree({{16, taper}, {512, 1}}), nodes, 8, 8})), network(routed(cluster)) {}

  CollectiveAnswer ask(CollectiveOp op, const std::vector<Communicator>& groups, Bytes bytes,
                       const CollectiveChoice& choice = {}, bool sharp = false) const {
    return predicted(cluster, &network, op, groups, bytes, choice, sharp);
  }
  CollectiveAnswer first(CollectiveOp op, int ranks, Bytes bytes, const CollectiveChoice& choice = {}) const {
    return ask(op, first_groups(cluster, ranks), bytes, choice);
  }
  std::string refusal(CollectiveOp op, int ranks, const CollectiveChoice& choice) const {
    try {
      first(op, ranks, 1 * megabyte, choice);
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().at(0).code == "E0332");
      return error.diagnostics().at(0).message;
    }
    return "accepted";
  }

  Cluster cluster;
  RoutedNetwork network;
};

}  // namespace

TEST_CASE("bus bandwidth counts as nccl-tests do", "[models][collectives]") {
  CHECK(bus_factor(all_reduce, 8) == Approx(2 * 7.0 / 8));
  CHECK(bus_factor(all_gather, 8) == Approx(7.0 / 8));
  CHECK(bus_factor(CollectiveOp::reduce_scatter, 4) == Approx(0.75));
  CHECK(bus_factor(all_to_all, 2) == Approx(0.5));
  CHECK(bus_factor(CollectiveOp::broadcast, 8) == 1);
  CHECK(bus_factor(CollectiveOp::send, 8) == 1);
}

TEST_CASE("an answer agrees with itself", "[models][collectives]") {
  const Tree on(4);
  for (const CollectiveOp op : {all_reduce, all_gather, all_to_all, CollectiveOp::dispatch, CollectiveOp::send}) {
    const CollectiveAnswer answer = on.first(op, 32, 64 * megabyte);
    INFO(name_of(op));
    CHECK(answer.algorithm_bandwidth.in(byte_per_second) == Approx(64e6 / answer.time.in(second)));
    CHECK(answer.bus_bandwidth / answer.algorithm_bandwidth == Approx(bus_factor(op, 32)));
    CHECK(answer.low < answer.time);
    CHECK(answer.time / answer.low == Approx(answer.high / answer.time));
  }
}

TEST_CASE("a group inside one node needs no network", "[models][collectives]") {
  const Tree on(2);
  const auto groups = first_groups(on.cluster, 8);
  const CollectiveAnswer without = predicted(on.cluster, nullptr, all_reduce, groups, 1 * gigabyte);
  CHECK(without.time == on.ask(all_reduce, groups, 1 * gigabyte).time);
  CHECK(without.algorithm == Algorithm::nvls);
  CHECK_THROWS_AS(predicted(on.cluster, nullptr, all_reduce, first_groups(on.cluster, 16), 1 * gigabyte),
                  std::invalid_argument);
}

TEST_CASE("of groups that lie differently the slowest counts", "[models][collectives]") {
  const Tree on(4);
  const auto three = first_groups(on.cluster, 6, 3);  // 0-5 in node 0, 6-11 and 12-17 across two nodes
  const CollectiveAnswer all = on.ask(all_reduce, three, 1 * gigabyte);
  const CollectiveAnswer inside = on.ask(all_reduce, {three[0]}, 1 * gigabyte);
  const CollectiveAnswer across = on.ask(all_reduce, {three[1]}, 1 * gigabyte);
  CHECK(inside.time < across.time);
  CHECK(all.time >= across.time);
  CHECK(on.ask(all_reduce, {three[2], three[1], three[0]}, 1 * gigabyte).time == all.time);
}

TEST_CASE("the farthest of groups that lie alike sets the latency", "[models][collectives]") {
  const Tree on(4);
  const Communicator below_leaf = accelerators({0, 8}), across_leaves = accelerators({0, 16});
  const Seconds near = on.ask(CollectiveOp::send, {below_leaf}, 8 * byte).time;
  const Seconds far = on.ask(CollectiveOp::send, {across_leaves}, 8 * byte).time;
  CHECK((far - near).in(microsecond) == Approx(1));  // two switches of 0.5 us more
  const Communicator elsewhere = accelerators({25, 17});
  CHECK(on.ask(CollectiveOp::send, {elsewhere, across_leaves}, 8 * byte).time == far);
}

TEST_CASE("eight groups of one rank in each node share leaf uplinks, not NICs", "[models][collectives]") {
  const auto time = [](const Tree& on, int groups) {
    return on.ask(all_reduce, first_groups(on.cluster, 8, groups, 8), 1 * gigabyte, bulk_ring).time;
  };
  const Tree open(8), tapered(8, 4);
  CHECK(time(open, 8) / time(open, 1) == Approx(1).epsilon(1e-9));
  // Two nodes below a leaf share its rail: one ring fills half of what is left of a quarter, 1 of 2 * 1/4.
  CHECK(time(tapered, 1) / time(open, 1) == Approx(2).epsilon(0.02));
}

TEST_CASE("two groups over the same cables take turns", "[models][collectives]") {
  const Tree on(4, 2);  // one cable up from each leaf and rail for two nodes
  const auto nodes = [](int a, int b) {
    Communicator group;
    for (int i = 0; i < 16; ++i) group.push_back(AcceleratorId((i < 8 ? a : b) * 8 + i % 8));
    return group;
  };
  const auto transfer = [&](const std::vector<Communicator>& groups) {
    return on.ask(all_gather, groups, 8 * gigabyte, bulk_ring).time -
           on.ask(all_gather, groups, 4 * gigabyte, bulk_ring).time;
  };
  CHECK(transfer({nodes(0, 2), nodes(1, 3)}) / transfer({nodes(0, 2)}) == Approx(2).epsilon(0.01));
  CHECK(transfer({nodes(0, 1), nodes(2, 3)}) / transfer({nodes(0, 1)}) == Approx(1));
}

TEST_CASE("gathering by doubling takes about half of reducing", "[models][collectives]") {
  const Tree on(4);
  const CollectiveChoice doubling{Algorithm::halving_doubling, {}};
  const Seconds gather = on.first(all_gather, 32, 1 * gigabyte, doubling).time;
  const Seconds reduce = on.first(all_reduce, 32, 1 * gigabyte, doubling).time;
  CHECK(reduce / gather == Approx(2).epsilon(0.1));
}

TEST_CASE("what limits is named", "[models][collectives]") {
  const Tree open(4), tapered(4, 8);
  CHECK(open.first(all_reduce, 32, 1 * kilobyte).limit == "latency");
  CHECK(open.first(all_reduce, 32, 8 * gigabyte, bulk_ring).limit == "NICs");
  CHECK(open.first(all_reduce, 8, 8 * gigabyte).limit == "scale-up links");
  CHECK(open.first(all_reduce, 32, 8 * gigabyte, {Algorithm::ring, Protocol::ll}).limit == "protocol");
  CHECK(tapered.first(all_reduce, 32, 8 * gigabyte, bulk_ring).limit == "leaf-spine links");
}

TEST_CASE("choices that cannot run are refused, not ignored", "[models][collectives]") {
  const Tree on(2);
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has(on.refusal(all_reduce, 8, {Algorithm::nvls_tree, {}}), "nvls_tree cannot run here"));
  CHECK(has(on.refusal(all_reduce, 16, {Algorithm::torus, {}}), "not a torus"));
  CHECK(has(on.refusal(all_reduce, 16, {Algorithm::direct, {}}), "direct cannot run here"));
  CHECK(has(on.refusal(all_to_all, 8, {Algorithm::tree, {}}), "tree cannot run here"));
  CHECK(has(on.refusal(all_to_all, 16, {Algorithm::ring, {}}), "ring cannot run here"));
  CHECK(has(on.refusal(all_to_all, 16, {{}, Protocol::ll}), "LL cannot run here"));
  CHECK(has(on.refusal(CollectiveOp::send, 16, {Algorithm::ring, {}}), "ring cannot run here"));
  CHECK(has(on.refusal(CollectiveOp::dispatch, 16, {Algorithm::pat, {}}), "pat cannot run here"));
  CHECK(has(on.refusal(all_reduce, 16, {Algorithm::halving_doubling, Protocol::ll}), "LL cannot run here"));
  CHECK(on.refusal(all_reduce, 16, {Algorithm::ring, Protocol::ll}) == "accepted");
  CHECK(on.refusal(CollectiveOp::broadcast, 16, {{}, Protocol::simple}) == "accepted");
}

TEST_CASE("reduction in the network's switches spares the NICs of many nodes", "[models][collectives]") {
  const Tree on(8);
  const auto groups = first_groups(on.cluster, 64);
  const CollectiveAnswer with = on.ask(all_reduce, groups, 4 * gigabyte, {}, true);
  CHECK(with.time < on.ask(all_reduce, groups, 4 * gigabyte).time);
  CHECK(with.algorithm == Algorithm::nvls);
  CHECK(on.ask(all_reduce, groups, 4 * gigabyte, {Algorithm::collnet_direct, {}}, true).algorithm ==
        Algorithm::collnet_direct);
}

TEST_CASE("the busiest links carry what the group sends", "[models][collectives]") {
  const Tree on(4, 4);
  CollectiveRequest request;
  request.groups = first_groups(on.cluster, 32);
  request.choice = bulk_ring;
  const CollectivePredictor predictor(on.cluster, h100_collectives(), &on.network, request);
  const auto links = predictor.busiest(1 * gigabyte, 3);
  REQUIRE(links.size() == 3);
  // An eighth of the wire on each rail; 2 NICs of 50 GB/s keep 2 / 4 of a cable up.
  CHECK(on.network.graph.link_kinds()[on.network.graph.kind(links[0].link)].name == "leaf-spine");
  CHECK(links[0].load == Approx(1.0 / 8));
  CHECK(links[0].seconds >= links[1].seconds);
}

TEST_CASE("a torus runs along all its axes unless told otherwise", "[models][collectives]") {
  const Cluster cluster = cluster_on({torus({4, 4}), 16, 1, 1});
  const RoutedNetwork network = routed(cluster);
  const auto ask = [&](int ranks, Bytes bytes, const CollectiveChoice& choice = {}) {
    return predicted(cluster, &network, all_gather, first_groups(cluster, ranks), bytes, choice);
  };
  CHECK(ask(16, 1 * gigabyte).algorithm == Algorithm::torus);
  CHECK(ask(16, 1 * gigabyte, bulk_ring).algorithm == Algorithm::ring);
  // Four links of 50 GB/s at each node: 15/16 of 1 GB at 200 GB/s, less what transports lose.
  const double share = h100_collectives().network.bandwidth_share.value;
  const Seconds slope = ask(16, 2 * gigabyte).time - ask(16, 1 * gigabyte).time;
  CHECK(slope.in(microsecond) == Approx(1e9 * 15 / 16 / (200e9 * share) * 1e6));
  // All 16: 2 + 2 hops of 0.5 us; a row of 4 has 2 of them.
  const Seconds row = ask(4, 8 * byte).time, all = ask(16, 8 * byte).time;
  CHECK((all - row).in(microsecond) == Approx(1).epsilon(1e-3));
}

TEST_CASE("a part of a torus that is no block is refused", "[models][collectives]") {
  const Cluster cluster = cluster_on({torus({4, 4}), 16, 1, 1});
  const RoutedNetwork network = routed(cluster);
  CHECK_THROWS_AS(predicted(cluster, &network, all_gather, first_groups(cluster, 5), 1 * megabyte), ConfigError);
  CHECK_NOTHROW(predicted(cluster, &network, all_gather, first_groups(cluster, 5), 1 * megabyte, bulk_ring));
}

TEST_CASE("low-latency kernels without NVLink send everything over NICs", "[models][collectives]") {
  const Tree on(4);
  CollectiveRequest request;
  request.op = CollectiveOp::dispatch;
  request.experts.experts = 256;
  request.experts.top_k = 8;
  request.experts.transfer = Algorithm::direct;
  const auto answer = [&](int ranks, bool network_only) {
    request.groups = first_groups(on.cluster, ranks);
    request.experts.network_only = network_only;
    return CollectivePredictor(on.cluster, h100_collectives(), &on.network, request).predict(1 * gigabyte);
  };
  const auto& set = h100_collectives();
  const BytesPerSecond nic = 50 * gigabyte_per_second * set.network.bandwidth_share.value;
  const auto& curve = set.collectives.at("expert_exchange_direct");
  const auto by_hand = [&](int ranks) {
    return curve.base_latency.value + (ranks - 1) * curve.rank_latency.value +
           (ranks - 1.0) / ranks * 1 * gigabyte / nic;
  };
  for (const int ranks : {8, 32}) {
    CHECK(answer(ranks, true).time / by_hand(ranks) == Approx(1).epsilon(0.01));
    CHECK(answer(ranks, false).time < answer(ranks, true).time);
    CHECK(answer(ranks, true).limit == "NICs");
  }
}

TEST_CASE("copies inside a node cannot take NICs that it lacks", "[models][collectives]") {
  const Tree on(4);
  Cluster alone = on.cluster;
  alone.nic_bandwidth = {};
  CollectiveRequest request;
  request.op = CollectiveOp::combine;
  request.groups = {first_groups(on.cluster, 8).front()};
  request.experts.transfer = Algorithm::direct;
  CHECK_NOTHROW(CollectivePredictor(alone, h100_collectives(), nullptr, request));
  request.experts.network_only = true;
  CHECK_THROWS_AS(CollectivePredictor(alone, h100_collectives(), nullptr, request), ConfigError);
}

TEST_CASE("popular experts make their ranks wait for", "[models][collectives]") {
  const Tree on(4);
  CollectiveRequest request;
  request.op = CollectiveOp::dispatch;
  request.groups = first_groups(on.cluster, 32);
  request.experts.experts = 256;
  request.experts.top_k = 8;
  const auto time = [&](double imbalance, Algorithm transfer) {
    request.experts.imbalance = imbalance;
    request.experts.transfer = transfer;
    return CollectivePredictor(on.cluster, h100_collectives(), &on.network, request).predict(1 * gigabyte).time;
  };
  CHECK(time(0.5, Algorithm::hierarchical) > time(0, Algorithm::hierarchical));
  // Evenly used, chance alone adds nothing to many tokens: 24 of 32 copies over the NIC.
  const auto& set = h100_collectives();
  const Seconds slope = 24.0 / 32 * 1 * gigabyte / (50 * gigabyte_per_second * set.network.bandwidth_share.value);
  const auto& curve = set.collectives.at("expert_exchange_direct");
  const Seconds latency = curve.base_latency.value + 31 * curve.rank_latency.value;
  CHECK(time(0, Algorithm::direct) / (latency + slope) == Approx(1).epsilon(0.01));
  CHECK(time(0, Algorithm::direct) > time(0, Algorithm::hierarchical));  // every copy over the NIC
}
