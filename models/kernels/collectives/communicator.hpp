// SPDX-License-Identifier: Apache-2.0
/// Which accelerators talk to each other, and in which order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/kernels/collectives/hostlist.hpp"
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

/// Accelerators of one group in rank order, numbered node by node over the cluster.
using Communicator = std::vector<AcceleratorId>;

/// How the nodes of a job were picked.
///
/// contiguous: the first ones, in their order. rail: as contiguous, each group on one position of many nodes instead of
/// all positions of few. scattered: what a busy scheduler has left, drawn by the seed, in their order. shuffled: the
/// same in an order without sense. hostlist: as listed. optimised: the nodes of the list, or of `scattered` where there
/// is none, in the order that keeps neighbours near.
enum class NodePolicy { contiguous, rail, scattered, shuffled, hostlist, optimised };
inline constexpr std::array<std::string_view, 6> node_policy_names = {"contiguous", "rail",     "scattered",
                                                                      "shuffled",   "hostlist", "optimised"};

struct GroupRequest {
  int ranks = 0;   ///< of one group
  int groups = 1;  ///< 0: as many as fit
  NodePolicy policy = NodePolicy::contiguous;
  std::vector<NodeId> nodes;  ///< of a hostlist, in its order
  /// Accelerators between neighbours of a group: `stride` groups interleave, as data-parallel groups do around tensor
  /// groups of that size. 0: 1, or an inner domain's accelerators with `rail`.
  int stride = 0;
  std::uint64_t seed = 0;
};

/// The groups, all of the same size, no accelerator in two. They fill the picked nodes one after the other; the last
/// node may stay filled in part.
/// @throws ConfigError E0330 for less than two ranks, E0333 for more accelerators than there are, E0334 for a stride
///         that neither divides a node nor is a multiple of one, E0335 for nodes listed twice or out of range
std::vector<Communicator> make_groups(const GroupRequest& request, const Cluster& cluster);

/// Where an accelerator sits.
struct AcceleratorPlace {
  NodeId node;
  int position = 0;  ///< in its node
  int domain = 0;    ///< over the whole cluster
  int offset = 0;    ///< in its domain
};

/// @throws std::invalid_argument unless the cluster has the accelerator
AcceleratorPlace place_of(AcceleratorId accelerator, const Cluster& cluster);

/// How one group lies on inner domains (servers, or racks that act as one).
struct DomainShare {
  int domain = 0;
  std::vector<AcceleratorId> members;  ///< in rank order
};

/// By first appearance in rank order.
std::vector<DomainShare> by_domain(const Communicator& group, int domain_accelerators);
/// The same where domains of several sizes are mixed.
std::vector<DomainShare> by_domain(const Communicator& group, const Cluster& cluster);

}  // namespace clusterwright
