// SPDX-License-Identifier: Apache-2.0
/// Choice of algorithm and protocol by NCCL: its own estimates, transcribed.
#pragma once

#include <optional>
#include <vector>

#include "models/kernels/collectives/collective_op.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Generations that NCCL's tables know.
enum class NcclGeneration { volta, ampere, hopper, blackwell };

/// Generation of a part in NCCL's tables. Libraries of other vendors descend from NCCL or work alike, so their parts
/// count as Ampere, the last generation without reduction in the switch.
NcclGeneration nccl_generation(const AcceleratorPart& part);

/// Whether NCCL, or its port RCCL, runs the collectives of a part. Vendors that the catalog knows by other libraries do
/// not; NCCL stands for those that nobody knows.
bool runs_nccl(const AcceleratorPart& part);

/// Whether the scale-up switches of a part reduce (NVLS): NVLink switches since Hopper.
bool reduces_in_switch(const AcceleratorPart& part);

/// Result of NCCL's search on a machine. Bandwidths are one direction, in NCCL's own estimates.
struct NcclMachine {
  NcclGeneration generation = NcclGeneration::hopper;
  bool nvlink = true;         ///< NVLink between the ranks of a node; else PCI Express
  bool amd_host = false;      ///< AMD or unknown processor: slower posts to the NIC, lower ceilings of LL
  int channels = 8;           ///< number of channels of rings and trees
  BytesPerSecond intra;       ///< bandwidth of one channel inside a node
  BytesPerSecond inter;       ///< bandwidth of one channel between nodes
  int nvls_heads = 0;         ///< ranks of a node that each reduce a share in the switch; 0: no NVLS
  BytesPerSecond nvls_intra;  ///< bandwidth of one head inside a node
  BytesPerSecond nvls_inter;  ///< bandwidth of all rails of a node
  int collnet_rails = 0;      ///< NICs with reduction in the network; 0: none
  Seconds nic_latency;        ///< latency that the NIC reports
};

/// Channels that the search settles at, from the machine's links.
/// @param nvls_heads  ranks of a node behind a switch that reduces; 0 without
/// @param scale_up  data sheet of one accelerator, one direction; NCCL counts with about 82 % of it on Hopper
/// @param network_per_node  data sheet, all NICs of a node, one direction; zero for one node
NcclMachine nccl_machine(NcclGeneration generation, bool nvlink, int nvls_heads, BytesPerSecond scale_up, int nics,
                         BytesPerSecond network_per_node);

/// Machine of several nodes of RCCL, whose graph search is not known and which runs so many channels that what NCCL
/// measured of one limits none of them: rates of algorithms are shares of that of the links, and never fall with it.
NcclMachine machine_of_many_channels(NcclGeneration generation, BytesPerSecond scale_up,
                                     BytesPerSecond network_per_node);

struct TunerEstimate {
  Algorithm algorithm;
  Protocol protocol;
  Seconds latency;
  BytesPerSecond bus_bandwidth;  ///< bus bandwidth of a large payload
  Seconds time;
};

/// Estimates for all pairs of algorithm and protocol that NCCL considers, fastest first.
///
///   time = latency + payload / algorithm bandwidth
///
/// with latencies and bandwidths composed from NCCL's tables (version 2.30.7). Trees pay a correction by size.
/// @param op     one of all_gather, reduce_scatter, all_reduce, broadcast; all_to_all and send are not tuned
/// @param nodes  number of nodes with `per_node` ranks each
/// @return empty for a group of one and for ops that are not tuned
/// @source docs/models/collectives.md, "What NCCL chooses"
std::vector<TunerEstimate> nccl_estimates(CollectiveOp op, Bytes payload, int nodes, int per_node,
                                          const NcclMachine& machine);

/// Ceiling of NCCL on the bus bandwidth of nvls_tree; 1e9 GB/s if its tables have none.
BytesPerSecond nvls_tree_ceiling(const NcclMachine& machine, int nodes);

}  // namespace clusterwright
