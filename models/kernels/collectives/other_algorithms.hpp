// SPDX-License-Identifier: Apache-2.0
/// Algorithms that NCCL does not have: those of tori and of MPI libraries.
#pragma once

#include "models/kernels/collectives/collective_time.hpp"

namespace clusterwright {

/// Rings along every axis of a torus at once, each with its share of the payload.
///
/// The rate is what the links leave (GroupLinks::fabric_limit).
/// @param pass  latency of one pass: torus_hops (collective_traffic.hpp) hops
/// @source docs/models/collectives.md, "Torus"
CollectiveTiming torus_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                            Seconds pass, const NetworkParameters& network);

/// Recursive halving to scatter, doubling to gather, both to reduce everywhere: log2 n exchanges between domains each.
/// @param curve  of `op`
CollectiveTiming halving_doubling_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                       const CollectiveParameters& curve, const NetworkParameters& network);

}  // namespace clusterwright
