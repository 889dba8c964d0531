// SPDX-License-Identifier: Apache-2.0
/// One path through a network, link by link.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
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

  /// Evenly distributed number. Hops are asked for in ascending order.
  std::uint32_t draw(std::uint32_t hop) {
    if (hop / 4 != block_) {
      block_ = hop / 4;
      words_ = philox({key_.from.value, key_.to.value, key_.queue_pair, block_}, key_.seed);
    }
    return words_[hop % 4];
  }

 private:
  PathKey key_;
  std::uint32_t block_ = ~0u;
  std::array<std::uint32_t, 4> words_{};
};

/// Link that a hash picks: evenly one of those that were next before anything failed; if it is not next now, one of
/// those that are. Flows that a failure does not touch so keep their paths, as under resilient hashing of switches.
/// @param drawn    evenly distributed
/// @param working  next links, at least one
/// @param before   next links before anything failed; the same where nothing has
inline LinkId hashed_link(std::uint32_t drawn, std::span<const LinkId> working, std::span<const LinkId> before) {
  const std::uint64_t scaled = std::uint64_t{drawn} * before.size();
  if (!before.empty()) {
    const LinkId link = before[scaled >> 32];
    if (before.data() == working.data() || std::find(working.begin(), working.end(), link) != working.end())
      return link;
  }
  // What the first pick left of the drawn number is evenly distributed too.
  const std::uint64_t rest = before.empty() ? drawn : static_cast<std::uint32_t>(scaled);
  return working[(rest * working.size()) >> 32];
}

/// Replaces `path` by the path that a hash picks: at each vertex a hashed_link, as PathDraws draw it. The same
/// key takes the same path; empty where `from` is `to`.
/// @throws ConfigError E0320 if there is no way
void walk_path(const NetworkGraph& graph, const Routes& routes, const PathKey& key, std::vector<LinkId>& path);

/// @throws ConfigError E0320 "no path from node 3 nic 0 to node 7 nic 0: ..." with the reason; always
[[noreturn]] void throw_no_path(const NetworkGraph& graph, VertexId from, VertexId to);

}  // namespace clusterwright
