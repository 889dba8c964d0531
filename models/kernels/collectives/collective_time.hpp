// SPDX-License-Identifier: Apache-2.0
/// Time of one collective when nothing else uses its links, and its 90 % interval.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/job/parameters.hpp"
#include "models/kernels/collectives/collective_op.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"
#include "models/kernels/collectives/queue_pairs.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Passes of the payload over a ring: one to gather or scatter, two to reduce and spread the result.
inline double passes(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? 2 : 1;
}

/// Payload among the bytes that a protocol sends: LL and LL128 send flags beside it.
double payload_share(Protocol protocol);

/// Bytes over one edge of a ring.
Bytes ring_wire(CollectiveOp op, Bytes payload, int ranks);

/// Bytes that one rank sends when the switch reduces.
Bytes switch_wire(Bytes payload, int ranks);

/// Rate of `wire` bytes on `link`. @param ranks  ranks of the group; counts as at least 2
BytesPerSecond curve_rate(const CollectiveParameters& curve, Bytes wire, int ranks, BytesPerSecond link);

/// Rate on `link` without the ramp of small messages.
BytesPerSecond bulk_rate(const CollectiveParameters& curve, int ranks, BytesPerSecond link);

Seconds curve_latency(const CollectiveParameters& curve, int ranks);

/// Choice of the user that replaces NCCL's.
struct CollectiveChoice {
  std::optional<Algorithm> algorithm{};
  std::optional<Protocol> protocol{};
};

/// Time of a collective that has its links for itself: latency + wire / rate.
struct CollectiveTiming {
  Seconds latency;      ///< software and path
  Bytes wire;           ///< bytes that one rank sends over its busiest link; across domains, one edge of the ring
  BytesPerSecond rate;  ///< rate of `wire` without contention
  bool crosses_domains = false;
  double network_share = 1;   ///< bytes that the NICs of a domain carry for one of `wire`
  double scale_up_share = 1;  ///< bytes that one rank's scale-up port carries for one of `wire`
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int queue_pairs = usual_queue_pairs;  ///< on each NIC, where it crosses domains
  Seconds path = {};                    ///< part of `latency` in switches and cables, which no software changes
  Seconds time() const { return latency + wire / rate; }
};

/// Time by fitted curves: inside a domain with the algorithm and protocol that NCCL's tuner chooses, across domains
/// with the pair of NCCL's candidates that takes least here.
///
/// Inside a domain, p ranks, curve of `op`:
///   rate    = scale_up * bandwidth_share * (1 - small_group_loss * 2 / p) / (1 + (half / wire)^ramp_exponent),
///             half = half_time * scale_up
///   latency = base_latency + rank_latency * (p - 1), in a torus times its hops instead
/// Where the curve knows protocols, LL and LL128 have no ramp and move low_latency_share instead, less their flags, and
/// Simple adds simple_latency * (its latency - that of LL in NCCL's tuner). The tuner's switch points are kept, and
/// with them the jump to Simple.
///   wire    = payload * (p - 1) / p, twice that for all-reduce, payload * (p + 1) / p when the switch reduces
/// Across n domains with g members each, a ring leaves every domain over g NICs:
///   bulk    = min(the rate above, g * network_per_rank * network.bandwidth_share, fabric_limit)
///   latency = latency_scale * NCCL's latency of (algorithm, protocol) + sum over steps between domains of
///   switch_latency
/// Other algorithms and protocols are slower than that ring by the ratio of NCCL's own bandwidths. With reduction in
/// the scale-up switch two domains merely exchange, which halves the bytes of the NICs; NCCL's ceiling of such trees
/// holds. All-to-all sends payload * (n - 1) / n over each member's own NIC, where NVLink joins a domain after a hop
/// inside it to the rail of the receiver. The fabric's limit counts what LL and LL128 send beside the payload.
///
/// @param payload  size as nccl-tests prints it: the whole gathered buffer for all-gather, the whole input for
///                 reduce-scatter, the buffer for all-reduce, all-to-all and broadcast, the message for send
/// @param choice   direct or rail_aligned for all_to_all; ignored for send
/// @return  all zero for a group of one or an empty payload; `rate` is then 1 B/s so that time() is 0
/// @throws std::invalid_argument if the parameter set lacks the curve of `op`, or NCCL does not offer the choice
/// @source docs/models/collectives.md
CollectiveTiming collective_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                 const std::map<std::string, CollectiveParameters>& curves,
                                 const NetworkParameters& network, const CollectiveChoice& choice = {});

/// Pair that NCCL's own estimates put first, of those that the curves allow: what its log says it ran.
/// @return nothing for a group of one, for ops that are not tuned, and where NCCL does not run
CollectiveChoice nccl_choice(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                             const std::map<std::string, CollectiveParameters>& curves);

/// Share of the NIC data sheet that the group's transport reaches.
double transport_share(const GroupLinks& links, const NetworkParameters& network);

/// Rate at which the host of one accelerator sends by TCP while it receives at the same rate:
///   cores  = min(tcp_cores, cores of the host per accelerator)
///   rate   = min(cores / (1 / send_per_core + 1 / receive_per_core), host memory per accelerator / (2
///   tcp_memory_passes))
/// Example: one core that copies 11 GB/s out and 5.25 GB/s in does both at 1 / (1/11 + 1/5.25) = 3.55 GB/s.
/// @source docs/models/collectives.md, "TCP"
BytesPerSecond tcp_host_rate(const GroupLinks& links, const NetworkParameters& network);

/// Name of the curve of `op`: its own, or that of the op with the same traffic (a broadcast gathers).
std::string curve_name(CollectiveOp op);

/// Result of NCCL's search for this group.
NcclMachine nccl_machine_of(const GroupShape& group, const GroupLinks& links);

/// Half-width of the 90 % interval of a predicted collective in log space, |log(predicted/measured)|.
///
/// Sum in squares of three causes: the 90th percentile of the error of the op's fits on held-out rows (from 1 MB, or
/// below), the standard errors of the network's parameters by their part of the time, and the spread from fabric to
/// fabric for groups across nodes.
double collective_half_width(CollectiveOp op, Bytes bytes, const CollectiveTiming& timing, const CollectiveSet& set);

}  // namespace clusterwright
