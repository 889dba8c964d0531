/// Time of one collective when nothing else uses its links.
#pragma once

#include <map>
#include <string>

#include "models/collectives/collective_op.hpp"
#include "models/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// How a communicator lies on the machine: `nodes` nodes with `ranks_per_node` members each.
struct GroupShape {
  int nodes = 1;
  int ranks_per_node = 1;
  int surplus = 0;  ///< members beyond that, where nodes are not filled evenly
  int ranks() const { return nodes * ranks_per_node + surplus; }
};

/// Links that the group has.
struct GroupLinks {
  BytesPerSecond scale_up;          ///< data sheet, one accelerator, one direction
  BytesPerSecond network_per_rank;  ///< NIC data sheet, what one member can use, one direction
  Seconds switch_latency;           ///< switches and cables of one step between nodes
  bool switch_reduction = false;    ///< the scale-up switch can reduce (NVLS)
};

/// time alone = latency + wire / rate.
struct CollectiveCost {
  Seconds latency;
  Bytes wire;           ///< bytes that one rank sends over its busiest link; across nodes, one edge of the ring
  BytesPerSecond rate;  ///< of that when uncontended
  bool crosses_nodes = false;
  double network_share = 1;   ///< bytes that the NICs of a node carry for one of `wire`
  double scale_up_share = 1;  ///< the same of one rank's scale-up port
  Seconds time() const { return latency + wire / rate; }
};

/// A ring by fitted curves; for all-reduce the in-switch form where links and curves have it and it is faster.
///
/// Inside a node, p ranks, curve of `op`:
///   rate    = scale_up * bandwidth_share * (1 - small_group_loss * 2 / p) / (1 + (half_size / wire)^ramp_exponent)
///   latency = base_latency + rank_latency * (p - 1)
///   wire    = payload * (p - 1) / p, twice that for all-reduce, payload * (p + 1) / p when the switch reduces
/// Across n nodes with g members each, the ring leaves every node over g NICs:
///   rate    = min(the rate above, g * network_per_rank * network.bandwidth_share)
///   latency = network.base_latency + steps * (hop_latency + switch_latency) + rank_latency * (p - n),
///             steps = n - 1, twice that for all-reduce
/// With reduction in the switch the nodes form a tree of 2 ceil(log2 n) steps, and two nodes merely exchange, which
/// halves what the NICs carry. All-to-all sends payload * (n - 1) / n over each member's own NIC.
///
/// @param payload  size as nccl-tests prints it: the whole gathered buffer for all-gather, the whole input for
///                 reduce-scatter, the buffer for all-reduce and all-to-all, the message for send
/// @return  all zero for a group of one or an empty payload; `rate` is then 1 B/s so that time() is 0
/// @throws std::invalid_argument if the parameter set lacks the curve of `op`
/// @source docs/models.md, "Collectives"
CollectiveCost collective_cost(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                               const std::map<std::string, CollectiveParameters>& curves,
                               const NetworkParameters& network);

}  // namespace clusterwright
