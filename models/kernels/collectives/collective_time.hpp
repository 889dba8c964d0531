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

/// What the user insists on instead of NCCL's choice.
struct CollectiveChoice {
  std::optional<Algorithm> algorithm{};
  std::optional<Protocol> protocol{};
};

/// time alone = latency + wire / rate.
struct CollectiveTiming {
  Seconds latency;
  Bytes wire;           ///< bytes that one rank sends over its busiest link; across domains, one edge of the ring
  BytesPerSecond rate;  ///< of that when uncontended
  bool crosses_domains = false;
  double network_share = 1;   ///< bytes that the NICs of a domain carry for one of `wire`
  double scale_up_share = 1;  ///< the same of one rank's scale-up port
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  Seconds time() const { return latency + wire / rate; }
};

/// NCCL's tuner chooses algorithm and protocol; fitted curves give the time.
///
/// Inside a domain, p ranks, curve of `op`:
///   rate    = scale_up * bandwidth_share * (1 - small_group_loss * 2 / p) / (1 + (half / wire)^ramp_exponent),
///             half = half_time * scale_up
///   latency = base_latency + rank_latency * (p - 1), in a torus times its hops instead
///   wire    = payload * (p - 1) / p, twice that for all-reduce, payload * (p + 1) / p when the switch reduces
/// Across n domains with g members each, a ring leaves every domain over g NICs:
///   bulk    = min(the rate above, g * network_per_rank * network.bandwidth_share, fabric_limit)
///   latency = latency_scale * NCCL's latency of (algorithm, protocol) + steps between domains * switch_latency
/// and other algorithms and protocols move bytes as much slower than that ring as NCCL counts with. With reduction in
/// the scale-up switch two domains merely exchange, which halves the load of the NICs; NCCL's ceiling of such trees
/// holds. All-to-all sends payload * (n - 1) / n over each member's own NIC, where NVLink joins a domain after a hop
/// inside it to the rail of the receiver. The fabric's limit counts what LL and LL128 send beside the payload.
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

}  // namespace clusterwright
