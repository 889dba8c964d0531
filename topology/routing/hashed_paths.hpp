// SPDX-License-Identifier: Apache-2.0
/// Loads of many hashed flows: the paths of walk_path, many at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/routing/attachments.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/path_walk.hpp"

namespace clusterwright {

/// Endpoints on the same switches share all next links but the last, so flows are laid by the switches that they lead
/// to, and the next links of a switch towards them are looked up once.
class HashedPaths {
 public:
  /// @pre graph and routes outlive it
  HashedPaths(const NetworkGraph& graph, const Routes& routes, int queue_pairs, std::uint64_t seed);

  /// Adds the bytes of each demand to the links of its queue pairs' paths, an equal share to each.
  /// @throws ConfigError E0320 for a pair without a path
  void lay(std::span<const Demand> demands, LinkLoads& loads);

  /// Calls `visit` with every link of each queue pair of a demand, as often as queue pairs cross it.
  /// @throws ConfigError E0320 if it has no path
  template <class Visit>
  void walk(const Demand& demand, Visit visit);

 private:
  using SetId = Attachments::SetId;
  using Links = std::span<const LinkId>;

  /// Next links of a switch towards one attachment set.
  struct Known {
    SetId towards;
    std::uint32_t begin = 0, end = 0;  // in links_
  };

  void check(const Demand& demand) const;
  Links next(VertexId at, VertexId to);
  Links from_endpoint(VertexId at, VertexId to);

  const NetworkGraph& graph_;
  const Routes& routes_;
  int queue_pairs_;
  std::uint64_t seed_;
  Attachments attachments_;
  std::vector<Known> known_;  // by switch
  std::vector<LinkId> links_;
  std::vector<LinkId> last_;   // of a switch beside the destination
  std::vector<LinkId> first_;  // of the source
};

template <class Visit>
void HashedPaths::walk(const Demand& demand, Visit visit) {
  check(demand);
  const Links first = from_endpoint(demand.from, demand.to);
  for (std::uint32_t pair = 0; pair < static_cast<std::uint32_t>(queue_pairs_); ++pair) {
    VertexId at = demand.from;
    PathDraws draws({demand.from, demand.to, pair, seed_});
    for (std::uint32_t hop = 0; at != demand.to; ++hop) {
      const Links choices = hop == 0 ? first : next(at, demand.to);
      if (choices.empty()) throw_no_path(graph_, demand.from, demand.to);
      const auto count = static_cast<std::uint32_t>(choices.size());
      const LinkId link = choices[count == 1 ? 0 : draws.draw(count, hop)];
      visit(link);
      at = graph_.to(link);
    }
  }
}

}  // namespace clusterwright
