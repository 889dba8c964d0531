// SPDX-License-Identifier: Apache-2.0
/// Pairs of NICs between which the streams of a step travel.
#pragma once

#include <map>
#include <vector>

#include "models/lowering/chain_traffic.hpp"
#include "models/lowering/stream_groups.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/link_loads.hpp"

namespace clusterwright {

/// Demands of one stream of one class, and what one of its transfers can send at most.
struct StreamDemands {
  std::vector<Demand> demands;
  std::vector<int> replicas;  ///< parallel to the demands of messages: replica of the sender
  BytesPerSecond peak;
};

using StreamDemandsByClass = std::map<ClassStream, StreamDemands>;

/// All that share links, but messages from one end of the pipeline to the other.
StreamDemandsByClass demands_inside(const RankClasses& classes, const Placement& placement, const Cluster& cluster);

/// Those messages, which only stages of several chunks send. Their senders send no others in the same direction, so
/// these are streams of their own.
StreamDemandsByClass demands_round_ends(const RankClasses& classes, const Placement& placement, const Cluster& cluster);

/// The streams of those chains alone, among them those that load ports only.
StreamDemandsByClass demands_of(const std::vector<ChainTraffic>& chains, const RankClasses& classes,
                                const Placement& placement, const Cluster& cluster);

}  // namespace clusterwright
