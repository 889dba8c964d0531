// SPDX-License-Identifier: Apache-2.0
/// Times of algorithms that NCCL does not have: those of tori and of MPI libraries.
#pragma once

#include <optional>

#include "models/kernels/collectives/collective_time.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Rings along every axis of a torus at once, each with its share of the payload.
///
/// The rate is GroupLinks::fabric_limit.
/// @param pass  latency of one pass: torus_hops (collective_traffic.hpp) hops
/// @source docs/models/collectives.md, "Torus"
CollectiveTiming torus_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                            Seconds pass, const NetworkParameters& network);

/// Recursive halving to scatter, doubling to gather, both to reduce everywhere: log2 n exchanges between domains each.
/// @param curve  curve of `op`
CollectiveTiming halving_doubling_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                       const CollectiveParameters& curve, const NetworkParameters& network);

/// Time of a group that fills a block of a torus of single chips, without the graph that predict_collective lays
/// traffic on: rings along every axis that it covers, as torus_time; one link for a message; the busiest link for an
/// exchange.
/// @return nothing inside a node and on other fabrics
/// @source docs/models/collectives.md, "Torus"
std::optional<CollectiveTiming> torus_fabric_time(CollectiveOp op, Bytes payload, const GroupShape& group,
                                                  const Cluster& cluster, GroupLinks links,
                                                  const NetworkParameters& network);

}  // namespace clusterwright
