// SPDX-License-Identifier: Apache-2.0
/// Clusters on which groups of ranks are placed; only their numbers matter.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "models/kernels/collectives/collective_traffic.hpp"
#include "support/small_scenario.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright::testing {

struct GroupCluster {
  int nodes = 4;
  int per_node = 8;
  int nics = 8;
  int domain = 0;               ///< accelerators that act as one node; 0: those of a node
  int leaf_nodes = 2;           ///< below one leaf
  std::vector<int> torus = {};  ///< sides; empty: a fat tree
};

inline Cluster group_cluster(const GroupCluster& c) {
  SmallCase small;
  small.per_node = c.per_node;
  small.data = c.nodes * c.per_node;
  ClusterSpec spec = small_cluster(small);
  spec.fabric.tiers = {{"leaf", c.leaf_nodes * c.per_node, 1, ""},
                       {"spine", c.leaf_nodes * c.per_node * c.nodes, 1, ""}};
  spec.node.nics = c.nics;
  if (c.domain > 0) spec.node.scale_up_domain = c.domain;
  Cluster cluster = build_cluster(spec, parts(), JsonValue::object());
  if (!c.torus.empty()) {
    cluster.spec.fabric.kind = FabricKind::torus;
    cluster.spec.fabric.torus = TorusSpec{c.torus, true};
  }
  return cluster;
}

/// Endpoints alone: who talks to whom needs no switches.
inline NetworkGraph endpoints_of(const Cluster& cluster) {
  NetworkGraph graph(cluster.nodes(), cluster.nics, {});
  graph.finish();
  return graph;
}

/// A cluster, its endpoints and the traffic of groups on them.
struct TrafficCase {
  explicit TrafficCase(const GroupCluster& c)
      : cluster(group_cluster(c)), graph(endpoints_of(cluster)), sides(c.torus) {}

  std::vector<TrafficStage> traffic(CollectiveOp op, Algorithm algorithm, const Communicator& group) const {
    return collective_traffic(op, algorithm, group, {cluster, graph, sides});
  }
  /// Of the first so many accelerators.
  std::vector<TrafficStage> traffic(CollectiveOp op, Algorithm algorithm, int ranks) const {
    GroupRequest request;
    request.ranks = ranks;
    return traffic(op, algorithm, make_groups(request, cluster).front());
  }

  Cluster cluster;
  NetworkGraph graph;
  std::vector<int> sides;
};

/// Bytes between every ordered pair of endpoints, exchanges included.
using PairBytes = std::map<std::pair<VertexId, VertexId>, double>;
inline PairBytes pair_bytes(const TrafficStage& stage) {
  PairBytes pairs;
  for (const Demand& demand : stage.demands) pairs[{demand.from, demand.to}] += demand.bytes;
  for (const TrafficStage::Exchange& exchange : stage.exchanges)
    for (const VertexId from : exchange.members)
      for (const VertexId to : exchange.members)
        if (from != to) pairs[{from, to}] += exchange.bytes;
  return pairs;
}

/// What all endpoints send.
inline double total_bytes(const std::vector<TrafficStage>& stages) {
  double total = 0;
  for (const TrafficStage& stage : stages)
    for (const auto& [pair, bytes] : pair_bytes(stage)) total += bytes;
  return total;
}

}  // namespace clusterwright::testing
