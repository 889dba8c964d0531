// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_groups.hpp"
#include "topology/fabrics/fabric.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr double rounding = 1e-9;

bool near(double a, double b) {
  return std::abs(a - b) <= rounding * std::max({1.0, std::abs(a), std::abs(b)});
}

GroupCluster random_shape() {
  GroupCluster c;
  c.nodes = *rc::gen::inRange(2, 13);
  c.per_node = *rc::gen::element(1, 2, 4, 8);
  c.nics = *rc::gen::element(1, 2, 4, 8);
  c.leaf_nodes = *rc::gen::inRange(1, 4);
  return c;
}

/// A group of whole or partial nodes, somewhere.
Communicator random_group(const Cluster& cluster) {
  GroupRequest request;
  request.policy =
      *rc::gen::element(NodePolicy::contiguous, NodePolicy::rail, NodePolicy::scattered, NodePolicy::shuffled);
  request.seed = *rc::gen::inRange(0, 1000);
  const int stride = request.policy == NodePolicy::rail ? cluster.domain : 1;
  request.ranks = *rc::gen::inRange(2, cluster.spec.accelerators / stride + 1);
  return make_groups(request, cluster).front();
}

/// Nothing where the algorithm does not do the op, or not on so many nodes.
std::optional<std::vector<TrafficStage>> try_traffic(const TrafficCase& on, CollectiveOp op, Algorithm algorithm,
                                                     const Communicator& group) {
  try {
    return on.traffic(op, algorithm, group);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

constexpr std::array ops = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                            CollectiveOp::all_to_all, CollectiveOp::send,           CollectiveOp::broadcast};
constexpr std::array algorithms = {
    Algorithm::tree,   Algorithm::ring,         Algorithm::pat,   Algorithm::halving_doubling,
    Algorithm::direct, Algorithm::rail_aligned, Algorithm::torus, Algorithm::hierarchical};

/// Into and out of every domain, all stages together.
struct DomainBytes {
  std::map<int, double> in, out;
};
int domain_of(const TrafficCase& on, VertexId endpoint) {
  return static_cast<int>(on.graph.node_of(endpoint).value) / (on.cluster.domain / on.cluster.node_accelerators);
}
DomainBytes domain_bytes(const TrafficCase& on, const std::vector<TrafficStage>& stages) {
  DomainBytes sum;
  for (const TrafficStage& stage : stages)
    for (const auto& [pair, bytes] : pair_bytes(stage)) {
      sum.out[domain_of(on, pair.first)] += bytes;
      sum.in[domain_of(on, pair.second)] += bytes;
    }
  return sum;
}

bool all_equal(const std::map<int, double>& bytes, double expected, std::size_t domains) {
  return bytes.size() == domains &&
         std::all_of(bytes.begin(), bytes.end(), [&](const auto& entry) { return near(entry.second, expected); });
}

/// Full domains only, so that every formula is exact: D domains with g members each.
struct EvenGroup {
  Communicator group;
  double domains = 0, members = 0;
  double ranks() const { return domains * members; }
};
EvenGroup even_group(const Cluster& cluster) {
  GroupRequest request;
  const int domains = *rc::gen::inRange(2, cluster.domains() + 1);
  request.ranks = domains * cluster.domain;
  request.policy = *rc::gen::element(NodePolicy::contiguous, NodePolicy::shuffled);
  return {make_groups(request, cluster).front(), static_cast<double>(domains), static_cast<double>(cluster.domain)};
}

/// A real network, for the laws of loads.
Network wired(const Cluster& cluster) {
  const NetworkSize size{cluster.nodes(), cluster.node_accelerators, cluster.nics, cluster.nic_bandwidth};
  return build_network(cluster.spec.fabric, size, FabricPorts{{0, 0}, 0});
}

std::vector<double> sorted_loads(const LinkLoads& loads) {
  std::vector<double> sorted = loads.items();
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

TEST_CASE("everything between nodes is between different nodes, and at least 0", "[laws][collectives]") {
  REQUIRE(rc::check("every demand joins two domains, once", [] {
    GroupCluster shape = random_shape();
    if (shape.nodes % 2 == 0 && *rc::gen::arbitrary<bool>()) shape.domain = 2 * shape.per_node, shape.leaf_nodes = 2;
    const TrafficCase on(shape);
    const Communicator group = random_group(on.cluster);
    for (const CollectiveOp op : ops)
      for (const Algorithm algorithm : algorithms)
        for (const TrafficStage& stage : try_traffic(on, op, algorithm, group).value_or(std::vector<TrafficStage>{})) {
          for (const auto& [pair, bytes] : pair_bytes(stage)) {
            RC_ASSERT(bytes > 0);
            RC_ASSERT(domain_of(on, pair.first) != domain_of(on, pair.second));
          }
          for (std::size_t i = 1; i < stage.demands.size(); ++i)
            RC_ASSERT(std::pair(stage.demands[i - 1].from, stage.demands[i - 1].to) <
                      std::pair(stage.demands[i].from, stage.demands[i].to));
        }
  }));
}

TEST_CASE("collectives move what they must", "[laws][collectives]") {
  REQUIRE(rc::check("bytes into and out of every domain, per counted byte", [] {
    const TrafficCase on(random_shape());
    const EvenGroup even = even_group(on.cluster);
    const double d = even.domains, n = even.ranks(), g = even.members;
    const auto size = static_cast<std::size_t>(d);
    const auto each = [&](CollectiveOp op, Algorithm algorithm, double expected) {
      const DomainBytes bytes = domain_bytes(on, on.traffic(op, algorithm, even.group));
      RC_ASSERT(all_equal(bytes.in, expected, size));
      RC_ASSERT(all_equal(bytes.out, expected, size));
    };
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter})
      each(op, Algorithm::ring, 1);
    // Every rank sends its wire.
    for (const Algorithm a : {Algorithm::direct, Algorithm::rail_aligned, Algorithm::hierarchical})
      each(CollectiveOp::all_to_all, a, g);
    // A domain sends S / d to d - 1 others, n times where each rank of theirs gets its own copy.
    each(CollectiveOp::all_gather, Algorithm::hierarchical, (d - 1) / d / ((n - 1) / n));
    each(CollectiveOp::all_gather, Algorithm::direct, g * (n - g) / n / ((n - 1) / n));
    if (std::has_single_bit(size))
      each(CollectiveOp::all_reduce, Algorithm::halving_doubling, 2 * (1 - 1 / d) / (2 * (n - 1) / n));
  }));
}

TEST_CASE("trees move the payload up and down once per edge", "[laws][collectives]") {
  REQUIRE(rc::check("2 (d - 1) payloads in all, and 2 at most from any domain", [] {
    const TrafficCase on(random_shape());
    const EvenGroup even = even_group(on.cluster);
    const double wire = 2 * (even.ranks() - 1) / even.ranks();
    const auto stages = on.traffic(CollectiveOp::all_reduce, Algorithm::tree, even.group);
    RC_ASSERT(near(total_bytes(stages) * wire, 2 * (even.domains - 1)));
    const DomainBytes bytes = domain_bytes(on, stages);
    double most = 0;
    for (const auto& [domain, out] : bytes.out) {
      RC_ASSERT(near(out, bytes.in.at(domain)));
      most = std::max(most, out * wire);
    }
    // Interior in one tree, leaf in the other: 3 + 1 halves; node 0 of an odd number may be interior in both.
    RC_ASSERT(most <= (static_cast<int>(even.domains) % 2 == 0 ? 2 : 2.5) + rounding);
  }));
}

TEST_CASE("parallel aggregated trees bring every rank all other chunks", "[laws][collectives]") {
  REQUIRE(rc::check("one rank on each node sends and receives its wire", [] {
    GroupCluster shape = random_shape();
    shape.per_node = shape.nics = 1;
    const TrafficCase on(shape);
    const EvenGroup even = even_group(on.cluster);
    for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
      const auto stages = on.traffic(op, Algorithm::pat, even.group);
      RC_ASSERT(stages.size() == std::bit_width(even.group.size() - 1));
      const DomainBytes bytes = domain_bytes(on, stages);
      RC_ASSERT(all_equal(bytes.in, 1, even.group.size()));
      RC_ASSERT(all_equal(bytes.out, 1, even.group.size()));
    }
  }));
}

TEST_CASE("no order is farther than the one given", "[laws][collectives]") {
  REQUIRE(rc::check("the near order has the same nodes and no more links", [] {
    GroupCluster shape;
    shape.per_node = shape.nics = 1;
    if (*rc::gen::arbitrary<bool>()) {
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) shape.torus.push_back(*rc::gen::inRange(2, 6));
      shape.nodes = std::accumulate(shape.torus.begin(), shape.torus.end(), 1, std::multiplies<>());
    } else {
      shape.nodes = *rc::gen::inRange(2, 64);
      shape.leaf_nodes = *rc::gen::inRange(1, 9);
    }
    const Cluster cluster = group_cluster(shape);
    std::vector<NodeId> nodes = scattered_nodes(shape.nodes, *rc::gen::inRange(1, shape.nodes + 1), 3);
    shuffle_nodes(nodes, *rc::gen::arbitrary<std::uint64_t>());
    std::vector<NodeId> near_nodes = near_order(nodes, cluster);
    RC_ASSERT(ring_links(near_nodes, cluster) <= ring_links(nodes, cluster));
    std::sort(nodes.begin(), nodes.end());
    if (shape.torus.empty()) RC_ASSERT(near_nodes == nodes);
    std::sort(near_nodes.begin(), near_nodes.end());
    RC_ASSERT(near_nodes == nodes);
  }));
}

TEST_CASE("groups are disjoint and inside the cluster", "[laws][collectives]") {
  REQUIRE(rc::check("no accelerator in two groups, as many groups as fit", [] {
    const Cluster cluster = group_cluster(random_shape());
    GroupRequest request;
    request.policy =
        *rc::gen::element(NodePolicy::contiguous, NodePolicy::scattered, NodePolicy::shuffled, NodePolicy::optimised);
    request.stride = *rc::gen::element(1, cluster.node_accelerators, 2 * cluster.node_accelerators);
    request.groups = 0;
    const int most = (cluster.spec.accelerators - 1) / request.stride + 1;
    RC_PRE(most >= 2);
    request.ranks = *rc::gen::inRange(2, most + 1);
    std::vector<bool> used(static_cast<std::size_t>(cluster.spec.accelerators), false);
    const auto groups = make_groups(request, cluster);
    for (const Communicator& group : groups) {
      RC_ASSERT(group.size() == static_cast<std::size_t>(request.ranks));
      for (const AcceleratorId accelerator : group) {
        RC_ASSERT(!used.at(accelerator.value));
        used[accelerator.value] = true;
      }
    }
    request.groups = static_cast<int>(groups.size()) + 1;
    RC_ASSERT_THROWS_AS(make_groups(request, cluster), ConfigError);
  }));
}

TEST_CASE("which nodes of a symmetric fabric talk does not matter", "[laws][collectives]") {
  REQUIRE(rc::check("swapping leaves permutes loads", [] {
    GroupCluster shape = random_shape();
    shape.nics = shape.per_node;
    shape.leaf_nodes = 2;
    shape.nodes = 2 * *rc::gen::inRange(2, 5);
    const Cluster cluster = group_cluster(shape);
    const Network network = wired(cluster);
    const auto routes = make_routes(network.graph);
    const TrafficContext context{cluster, network.graph, network.torus_sides};
    const Communicator group = random_group(cluster);
    std::vector<NodeId> leaves = numbered_nodes(shape.nodes / 2);
    shuffle_nodes(leaves, *rc::gen::arbitrary<std::uint64_t>());
    const auto leaf = static_cast<std::uint32_t>(2 * shape.per_node);
    Communicator moved = group;
    for (AcceleratorId& accelerator : moved)
      accelerator = AcceleratorId(leaves[accelerator.value / leaf].value * leaf + accelerator.value % leaf);
    const auto loads = [&](const Communicator& on, Algorithm algorithm, CollectiveOp op) {
      return stage_loads(op, algorithm, {on}, context, *routes, {}, network.groups);
    };
    for (const auto& [op, algorithm] :
         {std::pair(CollectiveOp::all_reduce, Algorithm::ring), std::pair(CollectiveOp::all_reduce, Algorithm::tree),
          std::pair(CollectiveOp::all_to_all, Algorithm::rail_aligned),
          std::pair(CollectiveOp::all_to_all, Algorithm::direct)}) {
      const auto before = loads(group, algorithm, op), after = loads(moved, algorithm, op);
      RC_ASSERT(before.size() == after.size());
      for (std::size_t s = 0; s < before.size(); ++s) {
        const auto a = sorted_loads(before[s]), b = sorted_loads(after[s]);
        RC_ASSERT(std::equal(a.begin(), a.end(), b.begin(), near));
      }
    }
  }));
}

TEST_CASE("the busiest rank of a mixture is no less busy than the mean", "[laws][collectives]") {
  REQUIRE(rc::check("bounds of expert traffic", [] {
    ExpertExchange e;
    e.ranks_in_domain = *rc::gen::element(1, 2, 8);
    e.ranks = e.ranks_in_domain * *rc::gen::inRange(1, 9);
    e.experts = e.ranks * *rc::gen::inRange(1, 5);
    e.top_k = *rc::gen::inRange(1, std::min(e.experts, 8) + 1);
    e.domain_limit = *rc::gen::inRange(0, 5);
    if (e.experts / (e.ranks / e.ranks_in_domain) * e.domain_limit < e.top_k) e.domain_limit = 0;
    e.tokens = *rc::gen::element(1, 16, 4096);
    e.token_size = 1 * byte;
    e.imbalance = e.experts > 4 ? *rc::gen::element(0.0, 0.3, 1.0) : 0.0;
    e.transfer = Algorithm::direct;
    const ExpertTraffic direct = expert_traffic(e);
    e.transfer = Algorithm::hierarchical;
    const ExpertTraffic once = expert_traffic(e);
    const double copies = e.tokens * e.top_k, most = rounding * copies;
    for (const ExpertLoad& load : {direct.network, direct.scale_up, once.network, once.scale_up})
      RC_ASSERT(load.busiest.in(byte) >= load.mean.in(byte)-most);
    RC_ASSERT(near((direct.network.mean + direct.scale_up.mean).in(byte), copies * (e.ranks - 1) / e.ranks));
    RC_ASSERT(once.network.mean <= direct.network.mean + most * byte);
    RC_ASSERT(once.distinct_domains <= std::min(e.top_k, e.ranks / e.ranks_in_domain) + rounding);
    if (e.domain_limit > 0) RC_ASSERT(once.distinct_domains <= e.domain_limit + rounding);
    RC_ASSERT(once.distinct_domains >= 1 - rounding);
    RC_ASSERT(e.imbalance > 0 || once.distinct_ranks >= once.distinct_domains - rounding);
  }));
}
