// SPDX-License-Identifier: Apache-2.0
/// Fitted curves of collectives inside a node.
#pragma once

#include "models/job/parameters.hpp"
#include "models/kernels/collectives/collective_op.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// How often the payload passes a ring: once to gather or scatter, twice to reduce and spread the result.
inline double passes(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? 2 : 1;
}

/// Bytes over one edge of a ring.
Bytes ring_wire(CollectiveOp op, Bytes payload, int ranks);

/// Bytes that one rank sends when the switch reduces.
Bytes switch_wire(Bytes payload, int ranks);

/// Rate of `wire` bytes on `link`. @param ranks  of the group; counts as 2 at least
BytesPerSecond curve_rate(const CollectiveParameters& curve, Bytes wire, int ranks, BytesPerSecond link);

/// The same without the ramp of small messages.
BytesPerSecond bulk_rate(const CollectiveParameters& curve, int ranks, BytesPerSecond link);

Seconds curve_latency(const CollectiveParameters& curve, int ranks);

}  // namespace clusterwright
