// SPDX-License-Identifier: Apache-2.0
/// Ranks that lose a path when parts of the network fail, and the way that their traffic takes then.
#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

struct StruckRanks {
  int count = 0;            ///< ranks that lose their NIC, or else those below the parts
  std::string consequence;  ///< "traffic takes the other 31 spine switches"
};

/// Ranks of a job that goes on. Below a switch are the NICs that reach it by going up from tier to tier; below a cable
/// those of its lower end, or of both ends where these are in one tier.
/// @param healthy  cluster before the faults; @param struck  the same with them
StruckRanks struck_ranks(const Cluster& healthy, const Cluster& struck, const std::vector<std::string>& faults);

/// " (pod:0 stands for all switches of its group)" for a switch whose fabric names no part; empty for other faults.
std::string group_remark(const NetworkGraph& graph, const std::vector<std::string>& faults);

/// Ranks of the job on a node of the machine.
int ranks_of_node(const Cluster& cluster, NodeId node);

}  // namespace clusterwright
