// SPDX-License-Identifier: Apache-2.0
/// Links that the ranks of a group have.
#pragma once

#include <optional>
#include <vector>

#include "models/kernels/collectives/group_shape.hpp"
#include "models/kernels/collectives/nccl_generation.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Links that the group has.
struct GroupLinks {
  BytesPerSecond scale_up;          ///< what a ring inside a domain can use, data sheet, one accelerator, one direction
  BytesPerSecond network_per_rank;  ///< NIC data sheet, what one member can use, one direction
  Seconds switch_latency;           ///< switches and cables of one step between domains
  bool switch_reduction = false;    ///< the scale-up switch can reduce (NVLS)
  BytesPerSecond exchange{};        ///< inside a domain when all pairs exchange; zero: as scale_up
  NcclGeneration generation = NcclGeneration::hopper;
  bool nvlink = true;     ///< inside a domain; else PCI Express
  bool amd_host = false;  ///< processors whose posts to the NIC NCCL counts double
  bool sharp = false;     ///< switches between domains reduce
  bool tcp = false;       ///< sockets between domains instead of RDMA
  /// Steps of a message inside until it has been everywhere; 0: one less than members, as round a ring.
  int inner_steps = 0;
  /// Rate of `wire` that the fabric allows when it is the bottleneck; none: it never is.
  std::optional<BytesPerSecond> fabric_limit{};
};

/// The links of a group on a cluster of one kind of nodes, or on its first kind.
/// @param switches  latency of one step between domains
GroupLinks group_links(const Cluster& cluster, const GroupShape& group, Seconds switches);

/// The same where the group lies on nodes of several kinds: all keep step with the slowest of each link.
/// @param accelerators  of the group, numbered over the cluster
GroupLinks group_links(const Cluster& cluster, const std::vector<AcceleratorId>& accelerators, const GroupShape& group,
                       Seconds switches);

}  // namespace clusterwright
