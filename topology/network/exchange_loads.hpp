// SPDX-License-Identifier: Apache-2.0
/// Loads of an all-to-all exchange, without its pairs.
#pragma once

#include <span>

#include "topology/network/link_loads.hpp"

namespace clusterwright {

/// Every endpoint of `members` sends `bytes` to every other one that it reaches; rails that never meet exchange
/// nothing.
///
/// Where paths are sprayed the pairs are never listed: the result is exact at a cost of (switches that members are on)
/// x links, in a fat tree (groups of switches with equal neighbours) x links. Beyond most_exchange_pairs (see
/// sprayed_exchange.hpp) every destination takes an even sample of its sources, scaled up. With hash the pairs are laid
/// one by one up to `most_hashed_paths` pairs times queue pairs, beyond which the law of large numbers makes spray
/// exact enough.
/// @param members  different endpoints
/// @throws as link_loads, where two members of the same rail have no path left
LinkLoads exchange_loads(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members,
                         double bytes, const PathPolicy& policy, std::span<const int> groups = {});
inline constexpr std::size_t most_hashed_paths = 1u << 21;

}  // namespace clusterwright
