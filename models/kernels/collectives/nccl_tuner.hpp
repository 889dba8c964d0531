// SPDX-License-Identifier: Apache-2.0
/// How NCCL chooses algorithm and protocol: its own estimates, transcribed.
#pragma once

#include <optional>
#include <vector>

#include "models/kernels/collectives/collective_op.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Generations that NCCL's tables know.
enum class NcclGeneration { volta, ampere, hopper, blackwell };

/// The generation that NCCL's tables would take a part for. Other vendors' libraries descend from NCCL or do as it
/// does: they count as Ampere, the last generation without reduction in the switch.
NcclGeneration nccl_generation(const AcceleratorPart& part);

/// Whether the part's scale-up switches reduce (NVLS): NVLink since Hopper.
bool reduces_in_switch(const AcceleratorPart& part);

/// What NCCL's search finds on a machine; bandwidths are one direction, as it counts with them.
struct NcclMachine {
  NcclGeneration generation = NcclGeneration::hopper;
  bool nvlink = true;         ///< between the ranks of a node; PCI Express otherwise
  bool amd_host = false;      ///< an AMD or unknown processor: dearer posts to the NIC, lower ceilings of LL
  int channels = 8;           ///< of rings and trees
  BytesPerSecond intra;       ///< of one such channel inside a node
  BytesPerSecond inter;       ///< of one such channel between nodes
  int nvls_heads = 0;         ///< ranks of a node that each reduce a share in the switch; 0 without
  BytesPerSecond nvls_intra;  ///< of one of these inside a node
  BytesPerSecond nvls_inter;  ///< all rails of a node together
  int collnet_rails = 0;      ///< NICs with reduction in the network; 0 without
  Seconds nic_latency;        ///< as the NIC reports it
};

/// The channels that the search settles at, from the machine's links.
/// @param nvls_heads  ranks of a node behind a switch that reduces; 0 without
/// @param scale_up  data sheet of one accelerator, one direction; NCCL counts with about 82 % of it on Hopper
/// @param network_per_node  data sheet, all NICs of a node, one direction; zero for one node
NcclMachine nccl_machine(NcclGeneration generation, bool nvlink, int nvls_heads, BytesPerSecond scale_up, int nics,
                         BytesPerSecond network_per_node);

struct TunerEstimate {
  Algorithm algorithm;
  Protocol protocol;
  Seconds latency;
  BytesPerSecond bus_bandwidth;  ///< of a large payload
  Seconds time;
};

/// Everything NCCL would consider, fastest first.
///
///   time = latency + payload / algorithm bandwidth
///
/// with latencies and bandwidths composed from NCCL's tables (version 2.30.7). Trees pay a correction by size.
/// @param op     one of all_gather, reduce_scatter, all_reduce, broadcast; all_to_all and send are not tuned
/// @param nodes  with `per_node` ranks each
/// @return empty for a group of one and for ops that are not tuned
/// @source docs/models/collectives.md, "What NCCL chooses"
std::vector<TunerEstimate> nccl_estimates(CollectiveOp op, Bytes payload, int nodes, int per_node,
                                          const NcclMachine& machine);

/// What NCCL knows trees of nodes with in-switch reduction to reach at most, as bus bandwidth; infinite where it knows
/// none.
BytesPerSecond nvls_tree_ceiling(const NcclMachine& machine, int nodes);

}  // namespace clusterwright
