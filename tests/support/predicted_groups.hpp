// SPDX-License-Identifier: Apache-2.0
/// Small clusters on any fabric, routed, on which collectives are predicted with the parameters fitted for H100.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/kernels/collectives/predict_collective.hpp"
#include "support/small_fabrics.hpp"
#include "support/small_scenario.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/routing/faults.hpp"

namespace clusterwright::testing {

inline const CollectiveSet& h100_collectives() {
  static const CollectiveSet set = collective_set(fitted_parameters("h100-sxm"));
  return set;
}

struct FabricCase {
  FabricSpec fabric;
  int nodes = 4;
  int per_node = 8;
  int nics = 8;
};

/// @throws ConfigError where the fabric does not fit the nodes
inline Cluster cluster_on(const FabricCase& c) {
  SmallCase small;
  small.per_node = c.per_node;
  small.data = c.nodes * c.per_node;
  ClusterSpec spec = small_cluster(small);
  spec.node.nics = c.nics;
  spec.fabric = c.fabric;
  return build_cluster(spec, parts(), JsonValue::object());
}

/// @param faults  as `parse_fault` reads them
inline RoutedNetwork routed(const Cluster& cluster, const PathPolicy& policy = {},
                            const std::vector<std::string>& faults = {}) {
  return route_network(cluster.spec.fabric, cluster.network_size(), cluster.ports, faults, policy);
}

inline std::vector<Communicator> first_groups(const Cluster& cluster, int ranks, int groups = 1, int stride = 0) {
  GroupRequest request;
  request.ranks = ranks;
  request.groups = groups;
  request.stride = stride;
  return make_groups(request, cluster);
}

inline CollectiveAnswer predicted(const Cluster& cluster, const RoutedNetwork* network, CollectiveOp op,
                                  std::vector<Communicator> groups, Bytes bytes, const CollectiveChoice& choice = {},
                                  bool sharp = false) {
  CollectiveRequest request;
  request.op = op;
  request.groups = std::move(groups);
  request.choice = choice;
  request.sharp = sharp;
  request.experts.experts = 256;
  request.experts.top_k = 8;
  request.experts.transfer = choice.algorithm.value_or(Algorithm::hierarchical);
  return CollectivePredictor(cluster, h100_collectives(), network, std::move(request)).predict(bytes);
}

inline Seconds predicted_time(const Cluster& cluster, const RoutedNetwork& network, CollectiveOp op,
                              std::vector<Communicator> groups, Bytes bytes, const CollectiveChoice& choice = {}) {
  return predicted(cluster, &network, op, std::move(groups), bytes, choice).time;
}

}  // namespace clusterwright::testing
