// SPDX-License-Identifier: Apache-2.0
/// Keys of answers about the network that the cluster remembers for other steps with the same places of ranks.
#pragma once

#include <vector>

#include "models/plan/placement.hpp"

namespace clusterwright {

class RankClasses;

/// What places of ranks depend on beside the network, whose cluster has one placement.
std::vector<int> places_of(const Placement& placement);

/// The same with the classes of the ranks.
std::vector<int> classes_of(const RankClasses& classes, const Placement& placement);

}  // namespace clusterwright
