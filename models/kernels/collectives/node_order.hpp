// SPDX-License-Identifier: Apache-2.0
/// Which nodes of a cluster a job gets, and in which order it uses them.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Share of a cluster that other jobs hold where nodes are scattered. An assumption: schedulers aim at more, and leave
/// the rest in pieces.
inline constexpr double busy_share = 0.7;

/// 0, 1, ... in their order.
std::vector<NodeId> numbered_nodes(int nodes);

/// What a busy scheduler has left, in order of number.
///
/// Other jobs arrive until they hold busy_share of the nodes, or as many as leave `wanted` free. Each has a power of
/// two of nodes, at most an eighth of the cluster, all sizes equally often; it takes the free nodes from a node on that
/// is drawn evenly, beginning again at 0 after the last one. The job gets the first free nodes.
/// @pre  0 <= wanted <= nodes
std::vector<NodeId> scattered_nodes(int nodes, int wanted, std::uint64_t seed);

/// All orders are equally likely.
void shuffle_nodes(std::vector<NodeId>& nodes, std::uint64_t seed);

/// Links between switches, endpoints and back, over a ring through the nodes in this order, the way from the last to
/// the first included: along a torus by coordinates, elsewhere up to the tier that joins two neighbours and down again.
/// Nothing inside an inner domain.
long long ring_links(const std::vector<NodeId>& nodes, const Cluster& cluster);

/// The shortest of the order given, that by number, and, on a torus, that in rows there and back. In nested groups
/// (leaves, pods, sites) no order is shorter than that by number, as it enters and leaves each group once.
std::vector<NodeId> near_order(std::vector<NodeId> nodes, const Cluster& cluster);

}  // namespace clusterwright
