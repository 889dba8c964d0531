/// Algorithms that NCCL does not have: those of tori and of MPI libraries.
#pragma once

#include "models/collectives/collective_cost.hpp"
#include "topology/cluster.hpp"

namespace clusterwright {

/// Rings along every axis of a torus at once, each with its share of the payload.
///
/// latency = passes * sum over axes of floor(side / 2) hops; the rate is what the links leave
/// (GroupLinks::fabric_limit).
/// @source docs/collectives.md, "Torus"
CollectiveCost torus_cost(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                          const std::vector<int>& sides, Seconds hop_latency, const NetworkParameters& network);

/// Recursive halving, then doubling: 2 log2 n exchanges between nodes.
CollectiveCost halving_doubling_cost(Bytes payload, const GroupShape& group, const GroupLinks& links,
                                     const CollectiveParameters& curve, const NetworkParameters& network);

}  // namespace clusterwright
