// SPDX-License-Identifier: Apache-2.0
/// Paths of the streams of a step on the routed graph.
#pragma once

#include <utility>
#include <vector>

#include "models/lowering/chain_traffic.hpp"
#include "models/lowering/stream_groups.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// One stream of one rank class on links.
struct LaidStream {
  ClassStream key;
  BytesPerSecond peak;  ///< of one transfer's wire at the data-sheet rate of the NICs
  /// Bytes of all ranks of the class per byte of one transfer's wire, by link in ascending order; zeros left out.
  std::vector<std::pair<LinkId, double>> loads;
  /// Links of hashed pipeline messages of the replica that is slowest along all stages, ascending; empty for other
  /// streams and routings.
  std::vector<LinkId> slowest = {};
};

/// Adaptive routing mixes shortest paths and detours for all classes of a stream alike, so that its busiest link is
/// least busy when all of them send. It does not see other streams: where detours of one hold up messages of another, a
/// step can be some percent slower than with shortest paths alone.
/// @throws ConfigError E0320 where a pair of ranks has no path left
std::vector<LaidStream> lay_streams(const RankClasses& classes, const Placement& placement, const Cluster& cluster);

/// The streams of those chains alone, on all their links: those of NICs too. Rings on a torus go to the neighbours
/// along every axis where their groups are blocks of it, as their time assumes (torus_fabric_time).
/// @throws ConfigError E0320 as lay_streams
std::vector<LaidStream> lay_on_all_links(const std::vector<ChainTraffic>& chains, const RankClasses& classes,
                                         const Placement& placement, const Cluster& cluster);

}  // namespace clusterwright
