// SPDX-License-Identifier: Apache-2.0
/// Traffic of algorithms between nodes, and its loads on the links of a network.
#pragma once

#include <vector>

#include "models/kernels/collectives/collective_op.hpp"
#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/routes.hpp"

namespace clusterwright {

/// Demands that run at the same time. Bytes are per byte of CollectiveTiming::wire, the counted byte: for a payload S
/// over n ranks, 2 S (n - 1) / n for all-reduce, S (n - 1) / n for all-gather and reduce-scatter, S for broadcast and
/// send, and S (n - g) / n for all-to-all with g ranks on each inner domain (n over the number of domains, rounded
/// down).
struct TrafficStage {
  /// Demands between different domains; each pair of endpoints once, in order.
  std::vector<Demand> demands;
  /// Endpoint sets that exchange all with all, and the bytes of each ordered pair.
  struct Exchange {
    std::vector<VertexId> members;
    double bytes = 0;
  };
  std::vector<Exchange> exchanges;
  /// Reduction on the way (SHARP): each link between the members and the root carries it once, up and down. The root is
  /// the switch of the first member.
  struct Reduction {
    std::vector<VertexId> members;
    double bytes = 0;
  };
  std::vector<Reduction> reductions;
};

/// Cluster and network that flows are placed in.
struct TrafficContext {
  const Cluster& cluster;
  const NetworkGraph& graph;
  const std::vector<int>& torus_sides;  ///< empty for other fabrics
};

/// Stages of a collective, in sequence; none for a group inside one domain.
///
/// An accelerator uses its nearest NIC, or all of them evenly if it has several. Between two domains channel c joins
/// member c of one to member c of the other, up to the size of the smaller one. S is the payload.
///
///   ring              over the domains in rank order; a broadcast has no edge back to the first rank
///   tree, nvls_tree   all-reduce: two binary trees over the domains (double_binary_tree), half of the payload up and
///                     down each edge
///   nvls, collnet     one reduction for each channel, with its share of the payload; all-gather and reduce-scatter
///                     count as if both directions carried it all, which the fuller one does
///   pat               all-gather (reduce-scatter backwards): stages at distances of powers of two in rank order, the
///                     farthest first, when the least is sent
///   halving_doubling  all-reduce, or the half that scatters or gathers: stage j exchanges S / 2^j with the domain at
///                     distance 2^(j-1); the number of domains is a power of two
///   torus             equal parts of a node's wire to its neighbours along every axis, both ways round closed rings
///   and
///                     one way there and back along lines; the nodes fill a block
///   send              each rank to the next one, the last to the first, as in nccl-tests
///   direct            all pairs of ranks over the sender's NIC and the receiver's. If domains have several NICs and
///                     those more than most_exact_pairs pairs, one exchange with the same bytes for each NIC replaces
///                     the pairs, of which (g - 1) / (n - 1) then lie inside domains (n ranks, g in a domain). If rails
///                     are planes that never meet, direct is rail_aligned
///   rail_aligned      all-to-all: both ends on the receiver's rail, which is its position in its domain
///   hierarchical      one copy to each domain over the sender's rail, spread inside it
///
/// @throws ConfigError E0332 when the algorithm does not fit: halving_doubling without a power of two of domains, torus
///         on another fabric or a part that is no block, ops that an algorithm cannot do
std::vector<TrafficStage> collective_traffic(CollectiveOp op, Algorithm algorithm, const Communicator& group,
                                             const TrafficContext& context);
inline constexpr std::size_t most_exact_pairs = 1u << 21;

/// Links that one pass of a collective crosses on a torus, axis after axis: half of a closed ring, all of a line that
/// is a part of one; 0 on other fabrics.
int torus_hops(const Communicator& group, const TrafficContext& context);

/// Loads of each stage, all groups together, per byte of CollectiveTiming::wire of one group.
std::vector<LinkLoads> stage_loads(CollectiveOp op, Algorithm algorithm, const std::vector<Communicator>& groups,
                                   const TrafficContext& context, const Routes& routes, const PathPolicy& policy,
                                   std::span<const int> switch_groups);

/// Latency of switches and long cables between the domains of a group, by their first members.
/// @throws ConfigError E0320 where no path is left
StepLatency step_latency(const Communicator& group, const TrafficContext& context, const Routes& routes);

}  // namespace clusterwright
