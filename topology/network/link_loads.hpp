/// What traffic puts on each link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/graph/network_graph.hpp"
#include "topology/network/routes.hpp"

namespace clusterwright {

/// Bytes from one endpoint to another for every byte that the pattern is counted in; at least 0.
struct Demand {
  VertexId from = 0;
  VertexId to = 0;
  double bytes = 1;
};

struct PathPolicy {
  Routing routing = Routing::spray;
  int queue_pairs = 1;  ///< of one demand; with hash each takes a path of its own and an equal share
  std::uint64_t seed = 0;
};

/// For every directed link the bytes that cross it.
using LinkLoads = std::vector<double>;

/// Lays demands on paths. A demand to its own sender loads nothing.
///
/// - hash: counter-based draws from (seed, from, to, queue pair, hop); the same pair always takes the same path.
/// - spray: at each vertex evenly over all next links, parallel cables counted each and slow ones no less.
/// - valiant: half-way to a switch with endpoints, then on to the end, both sprayed; the mean over all such switches in
///   neither end's group (each switch is a group where the fabric has none). What stays at one switch is not diverted,
///   and nothing is where fewer than three groups are joined.
/// - adaptive: the mixture x * spray + (1 - x) * valiant whose busiest link, in seconds, is least busy; of several the
///   one with most spray. One x for all demands of a call.
///
/// Cost: hash, the links of the paths; spray, the links that any shortest path uses, once for each switch that demands
/// lead to; valiant and adaptive, that for all pairs of switches with endpoints.
/// @param groups  for each switch (vertex - endpoints) its group, from 0; empty where the fabric has none
/// @throws ConfigError E0320 naming the first pair that has no path left
/// @throws std::invalid_argument for less than one queue pair
LinkLoads link_loads(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands,
                     const PathPolicy& policy, std::span<const int> groups = {});

/// Every endpoint of `members` sends `bytes` to every other one that it reaches; rails that never meet exchange
/// nothing.
///
/// Never materialises the pairs where paths are sprayed: exact, at a cost of (switches that members sit on) x links,
/// and of (groups of switches with equal neighbours) x links in a fat tree. Beyond `most_exchange_pairs` pairs of such
/// switches and groups every destination takes an even sample of its sources, scaled up. With hash the pairs are laid
/// one by one up to `most_hashed_paths` pairs times queue pairs, beyond which the law of large numbers makes spray
/// exact enough.
/// @param members  different endpoints
/// @throws as link_loads, where two members of the same rail have no path left
LinkLoads exchange_loads(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members,
                         double bytes, const PathPolicy& policy, std::span<const int> groups = {});
inline constexpr std::size_t most_hashed_paths = 1u << 21;
inline constexpr std::size_t most_exchange_pairs = 1u << 25;

/// The link with the most seconds of traffic per counted byte.
struct BusiestLink {
  LinkId link = 0;
  double load = 0;     ///< bytes per counted byte
  double seconds = 0;  ///< load / capacity, per counted byte
};

/// @return by decreasing `seconds`, at most `top`; loads of zero left out
std::vector<BusiestLink> busiest_links(const NetworkGraph& graph, const LinkLoads& loads, std::size_t top);

}  // namespace clusterwright
