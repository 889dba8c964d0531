#pragma once

#include "models/kernels/collectives/collective_time.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// The links of a group on a cluster of one kind of nodes, or on its first kind.
/// @param switches  latency of one step between domains
GroupLinks group_links(const Cluster& cluster, const GroupShape& group, Seconds switches);

/// The same where the group lies on nodes of several kinds: all keep step with the slowest of each link.
/// @param accelerators  of the group, numbered over the cluster
GroupLinks group_links(const Cluster& cluster, const std::vector<int>& accelerators, const GroupShape& group,
                       Seconds switches);

}  // namespace clusterwright
