// SPDX-License-Identifier: Apache-2.0
/// Flows of each family of algorithms; operations that a family cannot do are refused.
#pragma once

#include <vector>

#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

std::vector<TrafficStage> ring_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> send_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> torus_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> tree_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> switch_reduction_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> pat_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> halving_doubling_traffic(const TrafficBuilder& builder);

}  // namespace clusterwright
