// SPDX-License-Identifier: Apache-2.0
/// Traffic that the rank classes of a step put on the links of the routed graph.
///
/// Each stream of each class is laid on paths by the routing of the fabric: every rank's message, every ring, every
/// exchange, from the NICs that it really uses. A class runs at the pace of its slowest member, because what its ranks
/// do next waits for all of them (the norm of the gradient at the latest). So a class needs only the links that can
/// hold its members up:
///   - A link that carries everything that could be sent over it at once restrains nobody and is left out.
///   - Links with the same capacity and loads are one resource.
///   - Where more than most_shared_links stay, as with hashed paths, each stream of each class keeps the links on which
///     it competes most: with its own ranks, with its stream in all classes, and with all streams. Hashed messages keep
///     those on the paths of the replica that is slowest along all stages, since no replica has bad luck everywhere.
/// Links of NICs are left to the ports of the rank classes unless they are slower than the others.
///
/// Example: two pairs of ranks send 1 byte each; hashing puts both on one cable of 50 GB/s. The cable carries 2 bytes
/// per byte of a message, so each message runs at 25 GB/s while both are under way.
#pragma once

#include <cstddef>
#include <memory>

#include "models/kernels/collectives/collective_op.hpp"
#include "models/lowering/stream_traffic.hpp"
#include "models/lowering/uplink_loads.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Links with different loads beyond which each stream keeps only its busiest ones.
inline constexpr std::size_t most_shared_links = 256;

/// Whether steps lay their traffic on the graph: where paths are not evenly spread over a healthy fat tree or torus on
/// one site. Nested groups describe these. Tapered leaves of one rail each count as one bundle there, so that streams
/// that use some rails more than others find more room than they have.
bool uses_graph(const Cluster& cluster);

/// Loads by link, remembered by the cluster for the next step with the same places, with UplinkBundle::of_graph for the
/// tier. Those of a group are booked on the class of its first member.
/// @throws ConfigError E0320 where a pair of ranks has no path left
std::shared_ptr<const UplinkLoads> graph_loads(const RankClasses& classes, const Placement& placement,
                                               const Cluster& cluster);

/// The same beside the streams of another job on the same network: links count as shared where both together can want
/// more than there is. Each of two jobs gets the same links that way.
UplinkLoads graph_loads_beside(const std::vector<LaidStream>& others, const RankClasses& classes,
                               const Placement& placement, const Cluster& cluster);

/// Seconds for each byte of a collective's wire at data-sheet rates, when all groups of `kind` in all stages run it at
/// once: sum over its stages of that on their busiest links. Remembered likewise.
/// @throws ConfigError E0320 as graph_loads
double seconds_at_once(ReplicaGroup kind, CollectiveOp op, Algorithm algorithm, const Placement& placement,
                       const Cluster& cluster);

}  // namespace clusterwright
