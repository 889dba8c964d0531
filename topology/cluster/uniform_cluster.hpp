// SPDX-License-Identifier: Apache-2.0
/// A cluster of several kinds of nodes as each kind sees it.
#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// The same cluster on the same network with all its nodes of one kind; a cluster of one kind as it is.
///
/// The first kind has the rates of the cluster's own members, the others those of their group.
/// @throws std::invalid_argument for a kind that the cluster does not have
Cluster uniform_cluster(const Cluster& cluster, int kind);

/// Name of a kind of nodes for readers: its accelerator, with the node where kinds share an accelerator.
std::string kind_name(const Cluster& cluster, int kind);

/// Number of accelerators on nodes of a kind.
int accelerators_of_kind(const Cluster& cluster, int kind);

}  // namespace clusterwright
