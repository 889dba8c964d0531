// SPDX-License-Identifier: Apache-2.0
/// Operations, algorithms and protocols of collective communication.
#pragma once

#include <array>
#include <string_view>

namespace clusterwright {

/// Operations. send: one message from one rank to another, as between pipeline stages. dispatch, combine: tokens of a
/// mixture-of-experts layer to the ranks of their experts, and back.
enum class CollectiveOp { all_gather, reduce_scatter, all_reduce, all_to_all, send, broadcast, dispatch, combine };
inline constexpr std::array<std::string_view, 8> collective_op_names = {
    "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "send", "broadcast", "dispatch", "combine"};

/// Algorithms: first the seven of NCCL in the order of its tables, then those of other libraries or machines.
enum class Algorithm {
  tree,              ///< double binary tree over nodes, chains inside
  ring,              ///< ring over all ranks, node by node
  collnet_direct,    ///< reduced in the network (SHARP), every NIC with a tree of its own
  collnet_chain,     ///< reduced in the network, with a chain inside the node
  nvls,              ///< reduced in the scale-up switch
  nvls_tree,         ///< reduced in the scale-up switch inside nodes, trees between them
  pat,               ///< parallel aggregated trees: log2 n steps, one rank on each node
  halving_doubling,  ///< recursive halving, then doubling: MPI libraries
  torus,             ///< rings along every axis at once
  direct,            ///< all pairs at once
  rail_aligned,      ///< all pairs, over the NIC of the receiver's rail (PXN)
  hierarchical,      ///< one copy to each node, spread inside it: dispatch and combine of experts
};
inline constexpr std::array<std::string_view, 12> algorithm_names = {
    "tree",  "ring",   "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", "halving_doubling",
    "torus", "direct", "rail_aligned",   "hierarchical"};
inline constexpr std::size_t nccl_algorithm_count = 7;

/// Protocols of NCCL. ll: 4 bytes of data with 4 bytes of flag; ll128: 120 with 8; simple: bulk data, separate flags.
enum class Protocol { ll, ll128, simple };
inline constexpr std::array<std::string_view, 3> protocol_names = {"LL", "LL128", "Simple"};

std::string_view name_of(CollectiveOp op);

/// Dispatch and combine: tokens on their way to experts and back, by kernels outside NCCL.
constexpr bool between_experts(CollectiveOp op) {
  return op == CollectiveOp::dispatch || op == CollectiveOp::combine;
}
std::string_view name_of(Algorithm algorithm);
std::string_view name_of(Protocol protocol);

}  // namespace clusterwright
