// SPDX-License-Identifier: Apache-2.0
/// How the groups of a replica lie over the tapered tiers of a fabric.
#pragma once

#include <vector>

#include "models/plan/placement.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

bool has_taper(const FabricTiers& fabric);

/// Spread of the groups of a replica over tapered tiers: equal for replicas whose groups lie alike. Empty without them.
/// @param replica   its number: the `data` coordinate
/// @param together  ranks of a tensor group that sit in one domain
std::vector<int> group_spread(const Placement& placement, const FabricTiers& fabric, int replica, int together);

}  // namespace clusterwright
