// SPDX-License-Identifier: Apache-2.0
/// Accelerators of communicators in rank order, and the nodes of a job that they lie on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/kernels/collectives/hostlist.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Share of a cluster that other jobs hold under NodePolicy::scattered. An assumption: schedulers aim at more.
inline constexpr double busy_share = 0.7;

/// Nodes 0, 1, ... in ascending order.
std::vector<NodeId> numbered_nodes(int nodes);

/// Free nodes of a busy cluster that the job gets, in ascending order.
///
/// Other jobs arrive until they hold busy_share of the nodes, or as many as leave `wanted` free. Each has a power of
/// two of nodes, at most an eighth of the cluster, all sizes equally often; it takes the free nodes from an evenly
/// drawn node on, and goes on at 0 after the last one. The job gets the first free nodes.
/// @pre  0 <= wanted <= nodes
std::vector<NodeId> scattered_nodes(int nodes, int wanted, std::uint64_t seed);

/// Puts the nodes into a random order; all orders are equally likely.
void shuffle_nodes(std::vector<NodeId>& nodes, std::uint64_t seed);

/// Number of links that a closed ring through the nodes in this order crosses: along a torus by coordinates, elsewhere
/// up to the tier that joins two neighbours and down again. Links inside an inner domain do not count.
long long ring_links(const std::vector<NodeId>& nodes, const Cluster& cluster);

/// Shortest of three orders: the given one, the ascending one and, on a torus, rows there and back. In nested groups
/// (leaves, pods, sites) no order is shorter than that by number, as it enters and leaves each group once.
std::vector<NodeId> near_order(std::vector<NodeId> nodes, const Cluster& cluster);

/// Accelerators of one group in rank order, numbered node by node over the cluster.
using Communicator = std::vector<AcceleratorId>;

/// Choice of the nodes of a job.
///
/// contiguous: the first ones, in their order. rail: as contiguous, each group on one position of many nodes instead of
/// all positions of few. scattered: the free nodes of a busy cluster, drawn by the seed, in ascending order. shuffled:
/// those in random order. hostlist: as listed. optimised: the nodes of the list, or of `scattered` where there is none,
/// in the order that keeps neighbours near.
enum class NodePolicy { contiguous, rail, scattered, shuffled, hostlist, optimised };
inline constexpr std::array<std::string_view, 6> node_policy_names = {"contiguous", "rail",     "scattered",
                                                                      "shuffled",   "hostlist", "optimised"};

struct GroupRequest {
  int ranks = 0;   ///< number of ranks of one group
  int groups = 1;  ///< number of groups; 0: as many as fit
  NodePolicy policy = NodePolicy::contiguous;
  std::vector<NodeId> nodes;  ///< nodes of a hostlist, in its order
  /// Accelerators between neighbours of a group: `stride` groups interleave, as data-parallel groups do around tensor
  /// groups of that size. 0: 1, or an inner domain's accelerators with `rail`.
  int stride = 0;
  std::uint64_t seed = 0;
};

/// Groups of equal size without common accelerators. They fill the picked nodes one after the other; the last node may
/// stay filled in part.
/// @throws ConfigError E0330 for less than two ranks, E0333 for more accelerators than there are, E0334 for a stride
///         that neither divides a node nor is a multiple of one, E0335 for nodes listed twice or out of range
std::vector<Communicator> make_groups(const GroupRequest& request, const Cluster& cluster);

/// Place of an accelerator in the cluster.
struct AcceleratorPlace {
  NodeId node;
  int position = 0;  ///< position in its node
  int domain = 0;    ///< number of its domain in the cluster
  int offset = 0;    ///< position in its domain
};

/// @throws std::invalid_argument unless the cluster has the accelerator
AcceleratorPlace place_of(AcceleratorId accelerator, const Cluster& cluster);

/// Members of one group in one inner domain (a server, or a rack that acts as one).
struct DomainShare {
  int domain = 0;
  std::vector<AcceleratorId> members;  ///< members in rank order
};

/// Shares of a group by first appearance in rank order.
std::vector<DomainShare> by_domain(const Communicator& group, int domain_accelerators);
/// Shares of a group on a cluster with domains of several sizes.
std::vector<DomainShare> by_domain(const Communicator& group, const Cluster& cluster);

}  // namespace clusterwright
