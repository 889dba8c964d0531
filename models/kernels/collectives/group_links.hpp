// SPDX-License-Identifier: Apache-2.0
/// Shape of a communicator on the machine, and the links of its ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "models/kernels/collectives/nccl_tuner.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Spread of a communicator over scale-up domains: servers, or racks whose accelerators share one scale-up network.
struct GroupShape {
  int domains = 1;
  int ranks_per_domain = 1;
  int surplus = 0;  ///< members beyond that, where domains are filled unevenly
  /// Places in their domain of its members and of groups that run at once there; empty: the first ones alone. Matters
  /// only where scale-up links join a part of a domain (NodeLinks::alike_everywhere).
  DomainPlaces places = {};
  int ranks() const { return domains * ranks_per_domain + surplus; }
};

/// Latency of switches and cables of one step between domains, by how an algorithm goes over them. In a ring every
/// chunk passes each edge once, so a long line counts once a pass, not once a step.
struct StepLatency {
  Seconds farthest;  ///< between the two neighbours that are farthest apart
  Seconds ring;      ///< mean over the edges of the closed ring in rank order
  Seconds tree;      ///< mean over the levels of a tree in rank order, which join domains 1, 2, 4 ... apart

  StepLatency() = default;
  StepLatency(Seconds everywhere) : farthest(everywhere), ring(everywhere), tree(everywhere) {}
};

/// @param domains  number of domains
/// @param between  latency between two domains, by their places in rank order
StepLatency step_latency(std::size_t domains, const std::function<Seconds(std::size_t, std::size_t)>& between);

/// Links of a group. Bandwidths are one direction.
struct GroupLinks {
  BytesPerSecond scale_up;          ///< data sheet of one accelerator, for a ring inside a domain
  BytesPerSecond network_per_rank;  ///< NIC data sheet, share of one member
  StepLatency switch_latency;       ///< latency of switches and cables of one step between domains
  bool switch_reduction = false;    ///< scale-up switch that reduces (NVLS)
  BytesPerSecond exchange{};        ///< rate of one accelerator if all pairs of a domain exchange; zero: scale_up
  NcclGeneration generation = NcclGeneration::hopper;
  bool nvlink = true;  ///< NVLink inside a domain; else PCI Express
  bool nccl = true;    ///< NCCL or its port RCCL chooses; else a ring, as other libraries are not modelled
  /// Curves inside a domain tell protocols apart: NCCL over NVLink. RCCL and PCI Express have one curve for all of
  /// them.
  bool by_protocol = true;
  bool amd_host = false;  ///< AMD hosts: NCCL counts twice the time to post to the NIC
  bool sharp = false;     ///< switches between domains reduce
  bool tcp = false;       ///< sockets between domains instead of RDMA
  Transport transport = Transport::infiniband;
  /// Share of one accelerator in its host, which limits sockets; zero: not known.
  BytesPerSecond host_memory{};
  double host_cores = 0;
  /// Steps of a message until it has reached all ranks of a domain; 0: members - 1, as in a ring.
  int inner_steps = 0;
  /// Limit of the fabric on the rate of `wire`; none: it never limits.
  std::optional<BytesPerSecond> fabric_limit{};
};

/// Links of a group on a cluster with one kind of nodes, or on its first kind.
/// @param switches  latency of one step between domains
GroupLinks group_links(const Cluster& cluster, const GroupShape& group, const StepLatency& switches);

/// The slower of each link of two kinds of nodes; what is not known of a host limits nothing.
GroupLinks slower_links(GroupLinks a, const GroupLinks& b);

/// Links of a group on nodes of several kinds: the slowest of each link.
/// @param accelerators  members of the group, numbered over the cluster
GroupLinks group_links(const Cluster& cluster, const std::vector<AcceleratorId>& accelerators, const GroupShape& group,
                       const StepLatency& switches);

}  // namespace clusterwright
