// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Rate at which the marked nodes can send to the others at once over working links, one direction: maximum flow
/// (push-relabel), with every path allowed and parallel cables as one.
/// @throws std::invalid_argument unless `sends` has one entry per node
BytesPerSecond max_flow(const NetworkGraph& graph, const std::vector<bool>& sends);

}  // namespace clusterwright
