// SPDX-License-Identifier: Apache-2.0
/// Which nodes and switches of a network a picture draws as one.
#pragma once

#include <cstddef>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Nodes and switches as classes, nodes first; each class in the order of its members.
struct NetworkFold {
  std::vector<std::size_t> of_node;    ///< class of each node
  std::vector<std::size_t> of_switch;  ///< class of each switch (vertex - endpoints)
  std::vector<int> level;              ///< of each class: 0 for nodes, 1 for switches that have NICs, ...
  std::size_t classes() const { return level.size(); }
};

struct FoldLimit {
  std::size_t classes = 0;
  std::size_t lines = 0;  ///< pairs of classes that cables join
};

/// Every node and switch on its own where that stays within `most`. Else the nodes of each group of the lowest tier of
/// the fabric that stays within it are one, and so are the switches of a tier with the same group below them. At last
/// each tier is one.
/// @param graph  nullptr for nodes without a network
NetworkFold fold_network(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most);

}  // namespace clusterwright
