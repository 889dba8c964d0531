// SPDX-License-Identifier: Apache-2.0
/// One path through a network, link by link.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "topology/graph/counter_random.hpp"
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

/// Draws of one message stream, hop by hop: Philox of the key and the number of links so far, four hops to a block.
class PathDraws {
 public:
  explicit PathDraws(const PathKey& key) : key_(key) {}

  /// Evenly one of 0 .. choices - 1. Hops are asked for in ascending order.
  std::uint32_t draw(std::uint32_t choices, std::uint32_t hop) {
    if (hop / 4 != block_) {
      block_ = hop / 4;
      words_ = philox({key_.from.value, key_.to.value, key_.queue_pair, block_}, key_.seed);
    }
    return static_cast<std::uint32_t>((std::uint64_t{words_[hop % 4]} * choices) >> 32);
  }

 private:
  PathKey key_;
  std::uint32_t block_ = ~0u;
  std::array<std::uint32_t, 4> words_{};
};

/// Replaces `path` by the path that a hash picks: at each vertex one of the next links, as PathDraws draw it. The same
/// key takes the same path; empty where `from` is `to`.
/// @throws ConfigError E0320 if there is no way
void walk_path(const NetworkGraph& graph, const Routes& routes, const PathKey& key, std::vector<LinkId>& path);

/// @throws ConfigError E0320 "no path from node 3 nic 0 to node 7 nic 0: ..." with the reason; always
[[noreturn]] void throw_no_path(const NetworkGraph& graph, VertexId from, VertexId to);

}  // namespace clusterwright
