// SPDX-License-Identifier: Apache-2.0
/// Bytes that traffic puts on each link of a network, by routing policy.
///
/// Loads are counted per byte of the pattern (one byte of a collective's payload, say), so that they do not depend on
/// the size of a message; over the capacity of its link a load gives seconds per byte, and the link with the most
/// limits.
///
/// Invariant: at every switch as many bytes leave as arrive, and each endpoint keeps what its demands bring.
///
/// Example: 5 switches, all joined to each other, 8 endpoints on each; every endpoint of switch 0 sends 1 byte to one
/// of switch 1.
///   spray     8 bytes on the one cable between them
///   valiant   by way of switches 2, 3 and 4: 8 / 3 bytes on each of their two cables
///   adaptive  x of the bytes sprayed, 1 - x by detours, where the busiest link is least busy: 8 x = (1 - x) 8 / 3, so
///             x = 1/4 and each of the 4 ways carries 2 bytes
/// Adaptive routing is thus an ideal one with full knowledge of the traffic: a bound that UGAL and its kin come near.
///
/// @source L. Valiant, G. Brebner, "Universal schemes for parallel communication", STOC 1981; A. Singh, "Load-balanced
///         routing in interconnection networks" (UGAL), Stanford 2005
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/graph/network_graph.hpp"
#include "topology/routing/routes.hpp"

namespace clusterwright {

/// Bytes from one endpoint to another per counted byte; at least 0.
struct Demand {
  VertexId from;
  VertexId to;
  double bytes = 1;
};

struct PathPolicy {
  Routing routing = Routing::spray;
  int queue_pairs = 1;  ///< of one demand; with hash each takes its own path and an equal share
  std::uint64_t seed = 0;
};

/// Bytes that cross each directed link.
using LinkLoads = IndexedVector<LinkId, double>;

/// Lays demands on paths. A demand to its own sender loads nothing.
///
/// - hash: counter-based draws from (seed, from, to, queue pair, hop); the same pair always takes the same path.
/// - spray: at each vertex evenly over all next links, parallel cables counted each and slow ones no less.
/// - valiant: half-way to a switch with endpoints, then on to the end, both sprayed; the mean over all such switches
///   outside the groups of both ends (each switch is a group where the fabric has none). Traffic that stays at one
///   switch is not diverted; none is where fewer than three groups are joined.
/// - adaptive: the mixture x * spray + (1 - x) * valiant whose busiest link, in seconds, is least busy; of several, the
///   one with the most spray. One x for all demands of a call.
///
/// Cost: hash, the links of the paths; spray, the links that any shortest path uses, once for each switch that demands
/// lead to; valiant and adaptive, that for all pairs of switches with endpoints.
/// @param groups  for each switch (vertex - endpoints) its group, from 0; empty where the fabric has none
/// @throws ConfigError E0320 naming the first pair that has no path left
/// @throws std::invalid_argument for less than one queue pair
LinkLoads link_loads(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands,
                     const PathPolicy& policy, std::span<const int> groups = {});

/// The link with the most seconds of traffic per counted byte.
struct BusiestLink {
  LinkId link;
  double load = 0;     ///< bytes per counted byte
  double seconds = 0;  ///< load / capacity, per counted byte
};

/// @return by decreasing `seconds`, at most `top`; loads of zero left out
std::vector<BusiestLink> busiest_links(const NetworkGraph& graph, const LinkLoads& loads, std::size_t top);

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
