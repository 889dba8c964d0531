// SPDX-License-Identifier: Apache-2.0
/// Traffic of collectives on the links of a network.
#pragma once

#include <vector>

#include "models/kernels/collectives/collective_traffic.hpp"
#include "topology/network/routes.hpp"

namespace clusterwright {

/// Loads of each stage, all groups together, per byte of CollectiveTiming::wire of one group.
std::vector<LinkLoads> stage_loads(CollectiveOp op, Algorithm algorithm, const std::vector<Communicator>& groups,
                                   const TrafficContext& context, const Routes& routes, const PathPolicy& policy,
                                   std::span<const int> switch_groups);

/// Latency of switches and long cables between those two neighbours in rank order that are farthest from each other.
/// @throws ConfigError E0320 where no path is left
Seconds slowest_step(const Communicator& group, const TrafficContext& context, const Routes& routes);

}  // namespace clusterwright
