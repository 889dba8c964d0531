// SPDX-License-Identifier: Apache-2.0
/// One path through a network, link by link.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/network_graph.hpp"
#include "topology/routing/routes.hpp"

namespace clusterwright {

/// One message stream of an endpoint to another.
struct PathKey {
  VertexId from;
  VertexId to;
  std::uint32_t queue_pair = 0;
  std::uint64_t seed = 0;
};

/// Replaces `path` by the path that a hash picks: at each vertex one of the next links, drawn by Philox from the key
/// and the number of links so far. The same key takes the same path; empty where `from` is `to`.
/// @throws ConfigError E0320 if there is no way
void walk_path(const NetworkGraph& graph, const Routes& routes, const PathKey& key, std::vector<LinkId>& path);

/// @throws ConfigError E0320 "no path from node 3 nic 0 to node 7 nic 0: ..." with the reason; always
[[noreturn]] void throw_no_path(const NetworkGraph& graph, VertexId from, VertexId to);

}  // namespace clusterwright
