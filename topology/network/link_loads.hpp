/// What traffic puts on each link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/fabric_spec.hpp"
#include "topology/network/network_graph.hpp"
#include "topology/network/routes.hpp"

namespace clusterwright {

/// Bytes from one endpoint to another for every byte that the pattern is counted in.
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

/// Lays demands on paths.
///
/// hash: counter-based draws from (seed, from, to, queue pair, hop); the same pair always takes the same path.
/// spray: at each vertex evenly over all next links. valiant: half-way to a switch drawn evenly from the other groups
/// (the first tier's switches where a fabric has no groups), then on to the end, both sprayed; a fluid mean over all
/// intermediates. adaptive: the mixture x * spray + (1 - x) * valiant whose busiest link is least busy.
///
/// @throws ConfigError E0320 naming the first pair that has no path left
/// @param groups  for each switch (vertex - endpoints) its group; empty where the fabric has none
LinkLoads link_loads(const NetworkGraph& graph, const Routes& routes, std::span<const Demand> demands,
                     const PathPolicy& policy, std::span<const int> groups = {});

/// Every endpoint of `members` sends `bytes` to every other one; never materialises the pairs where paths are sprayed,
/// and with hash does so up to `most_hashed_pairs`, beyond which the law of large numbers makes spray exact enough.
LinkLoads exchange_loads(const NetworkGraph& graph, const Routes& routes, std::span<const VertexId> members,
                         double bytes, const PathPolicy& policy, std::span<const int> groups = {});
inline constexpr std::size_t most_hashed_pairs = 1u << 21;

/// The link with the most seconds of traffic per counted byte.
struct BusiestLink {
  LinkId link = 0;
  double load = 0;     ///< bytes per counted byte
  double seconds = 0;  ///< load / capacity, per counted byte
};

/// @return by decreasing `seconds`, at most `top`; loads of zero left out
std::vector<BusiestLink> busiest_links(const NetworkGraph& graph, const LinkLoads& loads, std::size_t top);

}  // namespace clusterwright
