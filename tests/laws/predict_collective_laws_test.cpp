// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/kernels/collectives/communicator.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/collective_names.hpp"
#include "support/ids.hpp"
#include "support/predicted_groups.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr double time_rounding = 1e-9;
constexpr int most_accelerators = 64;

bool as_fast(double a, double b) {
  return std::abs(a - b) <= time_rounding * std::max(std::abs(a), std::abs(b));
}
bool no_faster(Seconds slow, Seconds fast) {
  return slow >= fast * (1 - time_rounding);
}

/// Accelerators and NICs of a node so that so many nodes stay small.
void fill_nodes(FabricCase& c) {
  do c.per_node = *rc::gen::element(1, 2, 4, 8);
  while (c.nodes * c.per_node > most_accelerators);
}

FabricCase random_fat_tree_case(double taper = 1) {
  FabricCase c;
  c.nodes = *rc::gen::inRange(2, 9);
  fill_nodes(c);
  c.nics = *rc::gen::element(1, 2, 4, 8);
  const int leaf = *rc::gen::inRange(1, 4) * c.per_node;
  const RailLayout rails =
      c.nics > 1 ? *rc::gen::element(RailLayout::joined, RailLayout::planes, RailLayout::shared) : RailLayout::joined;
  std::vector<TierShape> tiers{{leaf, taper}};
  if (*rc::gen::arbitrary<bool>()) tiers.push_back({2 * leaf, taper});
  tiers.push_back({c.nodes * tiers.back().accelerators, 1});
  c.fabric = fat_tree(tiers, rails);
  return c;
}

FabricCase random_direct_case() {
  FabricCase c;
  c.nics = *rc::gen::element(1, 2);
  const int k = *rc::gen::inRange(1, 3), a = *rc::gen::inRange(1, 4), h = *rc::gen::inRange(1, 3);
  const int groups = *rc::gen::inRange(2, std::min(a * h + 1, 4) + 1);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      c.fabric = dragonfly({k * c.nics, a, h, groups});
      c.nodes = k * a * groups;
      break;
    case 1:
      c.fabric = dragonfly_plus({k * c.nics, 2, a, h, groups});
      c.nodes = k * 2 * groups;
      break;
    case 2:
      c.fabric = hyperx({a + 1, h}, {1, 2}, k * c.nics);
      c.nodes = k * (a + 1) * h;
      break;
    default:
      c.fabric = torus({a + 1, h + 1}, *rc::gen::arbitrary<bool>());
      c.nodes = (a + 1) * (h + 1);
  }
  fill_nodes(c);
  return c;
}

FabricCase random_fabric_case() {
  return *rc::gen::inRange(0, 3) == 0 ? random_fat_tree_case(*rc::gen::element(1.0, 2.0)) : random_direct_case();
}

Routing random_routing() {
  return *rc::gen::element(Routing::spray, Routing::hash, Routing::valiant, Routing::adaptive);
}

Bytes random_bytes() {
  return std::exp2(*rc::gen::inRange(3, 34)) * byte;
}

/// Whole nodes, in an order without sense.
Communicator random_whole_nodes(const Cluster& cluster) {
  GroupRequest request;
  request.ranks = *rc::gen::inRange(2, cluster.nodes() + 1) * cluster.node_accelerators;
  request.policy = NodePolicy::shuffled;
  request.seed = *rc::gen::arbitrary<std::uint64_t>();
  return make_groups(request, cluster).front();
}

/// The text of a fault for some cable between switches or of a NIC, by its two ends.
std::string random_cable(const NetworkGraph& graph) {
  const LinkId link(2 * *rc::gen::inRange<std::size_t>(0, graph.cables()));
  const auto part = [&](VertexId v) {
    if (graph.is_endpoint(v))
      return "node:" + std::to_string(graph.node_of(v).value) + "." + std::to_string(graph.rail_of(v));
    for (const SwitchTier& tier : graph.tiers())
      if (v >= tier.first && v < tier.first + tier.count) return tier.name + ":" + std::to_string(v - tier.first);
    return std::string();
  };
  const VertexId from = graph.from(link), to = graph.to(link);
  if (graph.is_endpoint(from)) return part(from);
  if (graph.is_endpoint(to)) return part(to);
  return part(from) + "-" + part(to) + "#0";
}

}  // namespace

TEST_CASE("alone on a non-blocking fabric a ring takes its closed form", "[laws][collectives]") {
  REQUIRE(rc::check("wire over the slower of the curve inside and the NICs", [] {
    const FabricCase shape = random_fat_tree_case();
    const Cluster cluster = cluster_on(shape);
    const RoutedNetwork network = routed(cluster);
    const int nodes = *rc::gen::inRange(2, shape.nodes + 1), n = nodes * shape.per_node;
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter);
    const auto& curve = h100_collectives().collectives.at(std::string(name_of(op)));
    const BytesPerSecond nics = shape.nics * cluster.nic_bandwidth * h100_collectives().network.bandwidth_share.value;
    const auto transfer = [&](Bytes bytes) {
      const Bytes wire = ring_wire(op, bytes, n);
      return wire /
             (shape.per_node > 1 ? std::min(curve_rate(curve, wire, n, cluster.scale_up_bandwidth), nics) : nics);
    };
    const auto time = [&](Bytes bytes) {
      return predicted_time(cluster, network, op, first_groups(cluster, n), bytes, bulk_ring);
    };
    const Bytes small = 1 * megabyte, large = 256 * megabyte;  // the latency is that of both
    RC_ASSERT(as_fast((time(large) - time(small)).in(second), (transfer(large) - transfer(small)).in(second)));
    RC_ASSERT(time(small) > transfer(small));
  }));
}

TEST_CASE("other groups never make one faster", "[laws][collectives]") {
  REQUIRE(rc::check("all groups at once against the first alone, every fabric and routing", [] {
    const Cluster cluster = cluster_on(random_fabric_case());
    const RoutedNetwork network = routed(cluster, {random_routing(), 4, 7});
    GroupRequest request;
    request.groups = 0;
    request.stride = cluster.node_accelerators;
    request.ranks = *rc::gen::inRange(2, cluster.nodes() + 1);
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all,
                                      CollectiveOp::send);
    const CollectiveChoice choice =
        op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather ? bulk_ring : CollectiveChoice{};
    const auto groups = make_groups(request, cluster);
    const Bytes bytes = random_bytes();
    RC_ASSERT(no_faster(predicted_time(cluster, network, op, groups, bytes, choice),
                        predicted_time(cluster, network, op, {groups.front()}, bytes, choice)));
  }));
}

TEST_CASE("the slowest of several groups gives the time, wherever it stands", "[laws][collectives]") {
  REQUIRE(rc::check("groups that fill no node, forwards and backwards", [] {
    FabricCase shape;
    shape.nodes = *rc::gen::inRange(2, 9);
    shape.fabric = fat_tree({{16, *rc::gen::element(1.0, 2.0)}, {64, 1}});
    const Cluster cluster = cluster_on(shape);
    const RoutedNetwork network = routed(cluster);
    GroupRequest request;
    request.ranks = *rc::gen::inRange(3, 8);
    request.groups = 0;
    auto groups = make_groups(request, cluster);
    const Bytes bytes = random_bytes();
    const Seconds forwards = predicted_time(cluster, network, CollectiveOp::all_reduce, groups, bytes);
    Seconds slowest;
    for (const Communicator& group : groups)
      slowest = std::max(slowest, predicted_time(cluster, network, CollectiveOp::all_reduce, {group}, bytes));
    std::reverse(groups.begin(), groups.end());
    RC_ASSERT(as_fast(forwards.in(second),
                      predicted_time(cluster, network, CollectiveOp::all_reduce, groups, bytes).in(second)));
    RC_ASSERT(no_faster(forwards, slowest));
  }));
}

TEST_CASE("which leaves of a fat tree a group uses does not matter", "[laws][collectives]") {
  REQUIRE(rc::check("swapping leaves, whatever NCCL chooses", [] {
    FabricCase shape;
    shape.nodes = 2 * *rc::gen::inRange(2, 5);
    shape.per_node = shape.nics = *rc::gen::element(1, 2, 4, 8);
    const int leaf = 2 * shape.per_node;
    shape.fabric = fat_tree({{leaf, *rc::gen::element(1.0, 2.0)}, {4 * leaf, 1}});
    const Cluster cluster = cluster_on(shape);
    const RoutedNetwork network = routed(cluster);
    const Communicator group = random_whole_nodes(cluster);
    std::vector<NodeId> leaves = numbered_nodes(shape.nodes / 2);
    shuffle_nodes(leaves, *rc::gen::arbitrary<std::uint64_t>());
    Communicator moved = group;
    const auto each = static_cast<std::uint32_t>(leaf);
    for (AcceleratorId& a : moved) a = AcceleratorId(leaves[a.value / each].value * each + a.value % each);
    const Bytes bytes = random_bytes();
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all})
      RC_ASSERT(as_fast(predicted_time(cluster, network, op, {group}, bytes).in(second),
                        predicted_time(cluster, network, op, {moved}, bytes).in(second)));
  }));
}

TEST_CASE("a group may be shifted along a torus", "[laws][collectives]") {
  REQUIRE(rc::check("every node one further along both sides", [] {
    const int x = *rc::gen::inRange(2, 6), y = *rc::gen::inRange(2, 5);
    const Cluster cluster = cluster_on({torus({x, y}), x * y, 1, 1});
    const RoutedNetwork network = routed(cluster);
    const Communicator group = random_whole_nodes(cluster);
    Communicator moved = group;
    for (AcceleratorId& at : moved) {
      const int node = static_cast<int>(at.value);  // one accelerator each
      at = AcceleratorId((node % x + 1) % x + (node / x + 1) % y * x);
    }
    const Bytes bytes = random_bytes();
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_to_all, CollectiveOp::send}) {
      const CollectiveChoice choice = op == CollectiveOp::all_reduce ? bulk_ring : CollectiveChoice{};
      RC_ASSERT(as_fast(predicted_time(cluster, network, op, {group}, bytes, choice).in(second),
                        predicted_time(cluster, network, op, {moved}, bytes, choice).in(second)));
    }
  }));
}

TEST_CASE("the order of nodes below one switch does not matter", "[laws][collectives]") {
  REQUIRE(rc::check("any order, whatever NCCL chooses", [] {
    FabricCase shape;
    shape.nodes = *rc::gen::inRange(2, 9);
    shape.per_node = shape.nics = *rc::gen::element(1, 2, 4, 8);
    shape.fabric = fat_tree({{shape.nodes * shape.per_node, 1}});
    const Cluster cluster = cluster_on(shape);
    const RoutedNetwork network = routed(cluster);
    const Communicator group = random_whole_nodes(cluster);
    Communicator sorted = group;
    std::sort(sorted.begin(), sorted.end());
    const Bytes bytes = random_bytes();
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
                                  CollectiveOp::broadcast, CollectiveOp::dispatch})
      RC_ASSERT(as_fast(predicted_time(cluster, network, op, {group}, bytes).in(second),
                        predicted_time(cluster, network, op, {sorted}, bytes).in(second)));
  }));
}

TEST_CASE("more taper is never faster", "[laws][collectives]") {
  REQUIRE(rc::check("fewer cables up from the leaves", [] {
    FabricCase shape;
    shape.nodes = 2 * *rc::gen::inRange(2, 5);
    shape.per_node = shape.nics = *rc::gen::element(2, 4, 8);
    const int leaf = 2 * shape.per_node;
    const Bytes bytes = random_bytes();
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all);
    const CollectiveChoice choice = op == CollectiveOp::all_to_all ? CollectiveChoice{} : bulk_ring;
    GroupRequest request;
    request.ranks = shape.nodes * shape.per_node;
    request.policy = NodePolicy::shuffled;
    request.seed = *rc::gen::arbitrary<std::uint64_t>();
    Seconds before;
    for (const double taper : {1.0, 2.0, 4.0}) {
      shape.fabric = fat_tree({{leaf, taper}, {4 * leaf, 1}});
      const Cluster cluster = cluster_on(shape);
      const Seconds time = predicted_time(cluster, routed(cluster), op, make_groups(request, cluster), bytes, choice);
      RC_ASSERT(no_faster(time, before));
      before = time;
    }
  }));
}

// Of a healthy fat tree, one cable: where several failed, or detours are longer (a dragonfly), losing a cable can push
// traffic to better paths, as closing a road can.
TEST_CASE("a cable that fails in a fat tree never helps", "[laws][collectives]") {
  REQUIRE(rc::check("sprayed over what is left", [] {
    const Cluster cluster = cluster_on(random_fat_tree_case(*rc::gen::element(1.0, 2.0)));
    const RoutedNetwork healthy = routed(cluster);
    const RoutedNetwork broken = routed(cluster, {}, {random_cable(healthy.graph)});
    const Communicator group = random_whole_nodes(cluster);
    const Bytes bytes = random_bytes();
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_gather);
    try {
      RC_ASSERT(no_faster(predicted_time(cluster, broken, op, {group}, bytes, bulk_ring),
                          predicted_time(cluster, healthy, op, {group}, bytes, bulk_ring)));
    } catch (const ConfigError& error) {
      RC_ASSERT(error.diagnostics().at(0).code == "E0320");  // it was the only way
    }
  }));
}

TEST_CASE("a slow cable never helps", "[laws][collectives]") {
  REQUIRE(rc::check("half of the rate, every fabric and routing", [] {
    const Cluster cluster = cluster_on(random_fabric_case());
    const PathPolicy policy{random_routing(), 4, 11};
    const RoutedNetwork healthy = routed(cluster, policy);
    const RoutedNetwork slow = routed(cluster, policy, {random_cable(healthy.graph) + "=0.5"});
    const Communicator group = random_whole_nodes(cluster);
    const Bytes bytes = random_bytes();
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_to_all, CollectiveOp::broadcast);
    const CollectiveChoice choice = op == CollectiveOp::all_to_all ? CollectiveChoice{} : bulk_ring;
    RC_ASSERT(no_faster(predicted_time(cluster, slow, op, {group}, bytes, choice),
                        predicted_time(cluster, healthy, op, {group}, bytes, choice)));
  }));
}

TEST_CASE("twice the bytes are never faster with one algorithm", "[laws][collectives]") {
  REQUIRE(rc::check("every algorithm and protocol that runs, inside nodes and across", [] {
    const Cluster cluster = cluster_on(random_fat_tree_case());
    const RoutedNetwork network = routed(cluster);
    const bool across = *rc::gen::arbitrary<bool>();
    RC_PRE(across || cluster.node_accelerators > 1);
    const auto groups = across ? std::vector<Communicator>{random_whole_nodes(cluster)}
                               : first_groups(cluster, cluster.node_accelerators);
    const auto op = *rc::gen::element(CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                      CollectiveOp::broadcast);
    const Bytes bytes = *rc::gen::inRange(1, 100) * std::exp2(*rc::gen::inRange(3, 28)) * byte;
    for (const Algorithm a : {Algorithm::ring, Algorithm::tree, Algorithm::nvls, Algorithm::nvls_tree, Algorithm::pat,
                              Algorithm::halving_doubling})
      for (const Protocol p : {Protocol::ll, Protocol::ll128, Protocol::simple}) try {
          RC_ASSERT(no_faster(predicted_time(cluster, network, op, groups, 2 * bytes, {a, p}),
                              predicted_time(cluster, network, op, groups, bytes, {a, p})));
        } catch (const ConfigError& error) {
          RC_ASSERT(error.diagnostics().at(0).code == "E0332");
        }
  }));
}

TEST_CASE("switches pass on every byte that reaches them", "[laws][collectives]") {
  REQUIRE(rc::check("in equals out at every switch; endpoints send what the algorithm asks", [] {
    const Cluster cluster = cluster_on(random_fabric_case());
    const RoutedNetwork network = routed(cluster, {random_routing(), 4, 3});
    const TrafficContext context{cluster, network.graph, network.torus_sides};
    const std::vector<Communicator> groups{random_whole_nodes(cluster)};
    const auto [op, algorithm] = *rc::gen::element(
        std::pair(CollectiveOp::all_reduce, Algorithm::ring), std::pair(CollectiveOp::all_reduce, Algorithm::tree),
        std::pair(CollectiveOp::all_to_all, Algorithm::direct), std::pair(CollectiveOp::send, Algorithm::direct),
        std::pair(CollectiveOp::broadcast, Algorithm::ring));
    const auto loads = stage_loads(op, algorithm, groups, context, *network.routes, network.policy, network.groups);
    const auto stages = collective_traffic(op, algorithm, groups.front(), context);
    RC_ASSERT(loads.size() == stages.size());
    for (std::size_t s = 0; s < loads.size(); ++s) {
      IndexedVector<VertexId, double> balance(network.graph.vertices(), 0), sent(network.graph.vertices(), 0);
      for (const LinkId link : loads[s].ids()) {
        balance[network.graph.to(link)] += loads[s][link];
        balance[network.graph.from(link)] -= loads[s][link];
        sent[network.graph.from(link)] += loads[s][link];
      }
      for (const VertexId v : network.graph.switch_ids())
        RC_ASSERT(std::abs(balance[v]) <= time_rounding * std::max(1.0, sent[v]));
      double wanted = 0;
      for (const Demand& demand : stages[s].demands) wanted += demand.bytes;
      for (const auto& exchange : stages[s].exchanges)
        wanted += exchange.bytes * static_cast<double>(exchange.members.size() * (exchange.members.size() - 1));
      RC_ASSERT(as_fast(std::accumulate(sent.begin(), sent.begin() + static_cast<long>(network.graph.endpoints()), 0.0),
                        wanted));
    }
  }));
}

TEST_CASE("many hashed queue pairs come near spraying", "[laws][collectives]") {
  REQUIRE(rc::check("4,096 draws of at most 16 paths", [] {
    FabricCase shape;
    shape.nodes = 2 * *rc::gen::inRange(2, 5);
    shape.per_node = shape.nics = *rc::gen::element(1, 2, 4);
    const int leaf = 2 * shape.per_node;
    shape.fabric = fat_tree({{leaf, *rc::gen::element(1.0, 2.0)}, {4 * leaf, 1}});
    const Cluster cluster = cluster_on(shape);
    const Communicator group = random_whole_nodes(cluster);
    const auto time = [&](const PathPolicy& policy) {
      return predicted_time(cluster, routed(cluster, policy), CollectiveOp::all_gather, {group}, 1 * gigabyte,
                            bulk_ring);
    };
    // A link takes 1 of 16 paths with a standard deviation of sqrt(15 / 4096) = 6 % of its load; the busiest of some
    // tens of links lies three of these above.
    const double ratio = time({Routing::hash, 4096, *rc::gen::arbitrary<std::uint64_t>()}) / time({});
    RC_ASSERT(ratio > 1 - time_rounding);
    RC_ASSERT(ratio < 1.2);
  }));
}

TEST_CASE("the optimised order of nodes is never slower than the order given", "[laws][collectives]") {
  REQUIRE(rc::check("a ring over any nodes of a fat tree", [] {
    const Cluster cluster = cluster_on(random_fat_tree_case(*rc::gen::element(1.0, 2.0)));
    const RoutedNetwork network = routed(cluster);
    GroupRequest request;
    request.nodes = numbered_nodes(cluster.nodes());
    shuffle_nodes(request.nodes, *rc::gen::arbitrary<std::uint64_t>());
    request.nodes.resize(static_cast<std::size_t>(*rc::gen::inRange(2, cluster.nodes() + 1)));
    request.ranks = static_cast<int>(request.nodes.size()) * cluster.node_accelerators;
    const Bytes bytes = random_bytes();
    const auto time = [&](NodePolicy policy) {
      request.policy = policy;
      return predicted_time(cluster, network, CollectiveOp::all_reduce, make_groups(request, cluster), bytes,
                            bulk_ring);
    };
    RC_ASSERT(no_faster(time(NodePolicy::hostlist), time(NodePolicy::optimised)));
  }));
}
