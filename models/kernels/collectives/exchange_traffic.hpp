// SPDX-License-Identifier: Apache-2.0
/// Flows of all-to-all exchanges: direct, rail-aligned and hierarchical.
#pragma once

#include <vector>

#include "models/kernels/collectives/algorithm_traffic.hpp"

namespace clusterwright {

std::vector<TrafficStage> direct_traffic(const TrafficBuilder& builder);
/// Flows of rail_aligned and hierarchical.
std::vector<TrafficStage> rail_traffic(const TrafficBuilder& builder);

}  // namespace clusterwright
