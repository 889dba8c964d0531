// SPDX-License-Identifier: Apache-2.0
/// Time of one collective when nothing else uses its links.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/job/parameters.hpp"
#include "models/kernels/collectives/collective_op.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"
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

/// What the user insists on instead of NCCL's choice.
struct CollectiveChoice {
  std::optional<Algorithm> algorithm{};
  std::optional<Protocol> protocol{};
};

/// time alone = latency + wire / rate.
struct CollectiveTiming {
  Seconds latency;
  Bytes wire;           ///< bytes that one rank sends over its busiest link; across nodes, one edge of the ring
  BytesPerSecond rate;  ///< of that when uncontended
  bool crosses_nodes = false;
  double network_share = 1;   ///< bytes that the NICs of a node carry for one of `wire`
  double scale_up_share = 1;  ///< the same of one rank's scale-up port
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  Seconds time() const { return latency + wire / rate; }
};

/// NCCL's tuner chooses algorithm and protocol; fitted curves give the time.
///
/// Inside a node, p ranks, curve of `op`:
///   rate    = scale_up * bandwidth_share * (1 - small_group_loss * 2 / p) / (1 + (half / wire)^ramp_exponent),
///             half = half_time * scale_up
///   latency = base_latency + rank_latency * (p - 1), in a torus times its hops instead
///   wire    = payload * (p - 1) / p, twice that for all-reduce, payload * (p + 1) / p when the switch reduces
/// Across n nodes with g members each, a ring leaves every node over g NICs:
///   bulk    = min(the rate above, g * network_per_rank * network.bandwidth_share, fabric_limit)
///   latency = latency_scale * NCCL's latency of (algorithm, protocol) + steps between nodes * switch_latency
/// and other algorithms and protocols move bytes as much slower than that ring as NCCL counts with. With reduction in
/// the scale-up switch two nodes merely exchange, which halves what the NICs carry; NCCL's ceiling of such trees holds.
/// All-to-all sends payload * (n - 1) / n over each member's own NIC, where NVLink joins a node after a hop inside it
/// to the rail of the receiver. The fabric's limit counts what LL and LL128 send beside the payload.
///
/// @param payload  size as nccl-tests prints it: the whole gathered buffer for all-gather, the whole input for
///                 reduce-scatter, the buffer for all-reduce, all-to-all and broadcast, the message for send
/// @param choice   of all_to_all: direct or rail_aligned; ignored for send
/// @return  all zero for a group of one or an empty payload; `rate` is then 1 B/s so that time() is 0
/// @throws std::invalid_argument if the parameter set lacks the curve of `op`, or NCCL does not offer the choice
/// @source docs/models/collectives.md
CollectiveTiming collective_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                 const std::map<std::string, CollectiveParameters>& curves,
                                 const NetworkParameters& network, const CollectiveChoice& choice = {});

/// Of the NIC data sheet, what the group's transport reaches.
double transport_share(const GroupLinks& links, const NetworkParameters& network);

/// The curve that prices `op`: its own, or that of the op with the same traffic (a broadcast gathers).
std::string curve_name(CollectiveOp op);

/// What NCCL's search would find for this group.
NcclMachine nccl_machine_of(const GroupShape& group, const GroupLinks& links);

/// Half of the 90 % interval of a predicted collective, as |log(predicted/measured)|.
///
/// Three causes, added in squares: what fits of the op missed in rows left out (the 90th percentile, from 1 MB or
/// below), the standard errors of the network's parameters by their part of the time, and the spread from fabric to
/// fabric for groups across nodes.
double collective_half_width(CollectiveOp op, Bytes bytes, const CollectiveTiming& timing, const CollectiveSet& set);

}  // namespace clusterwright
