// SPDX-License-Identifier: Apache-2.0
/// Loads of many hashed flows: the paths of walk_path, many at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/routing/attachments.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/path_walk.hpp"

namespace clusterwright {

/// Endpoints on the same switches share all next links but the last, and those of a family (Routes::family) all but the
/// last two. So flows are laid by the switches that they lead to, and the next links of a switch towards them are
/// looked up once. All queue pairs of a demand go on hop by hop, as they mostly meet at the same switches.
class HashedPaths {
 public:
  /// @pre graph and routes outlive it
  HashedPaths(const NetworkGraph& graph, const Routes& routes, int queue_pairs, std::uint64_t seed);

  /// Adds the bytes of each demand to the links of its queue pairs' paths, an equal share to each: calls
  /// `add(link, bytes)`.
  /// @throws ConfigError E0320 for a pair without a path
  template <class Add>
  void lay(std::span<const Demand> demands, Add add);

  /// Calls `visit` with every link of each queue pair of a demand, as often as queue pairs cross it.
  /// @throws ConfigError E0320 if it has no path
  template <class Visit>
  void walk(const Demand& demand, Visit visit);

 private:
  using SetId = Attachments::SetId;
  using Links = std::span<const LinkId>;

  /// Next links of a vertex, now and before anything failed.
  struct Choices {
    Links working, before;
  };
  /// Next links of a switch towards one family; near its end, towards one attachment set or endpoint.
  struct Known {
    std::uint32_t target = 0;                          // one of the three targets of that time
    std::uint32_t begin = 0, end = 0, before_end = 0;  // in links_; those before anything failed from `end`, if any
  };
  struct QueuePair {
    VertexId at;
    std::array<std::uint32_t, 4> draws;  // of a block of hops
  };

  std::vector<Demand> by_switches(std::span<const Demand> demands) const;
  void aim(const Demand& demand);
  Choices next(VertexId at, VertexId to);
  Choices look_up(VertexId at, VertexId to);
  std::uint32_t target_of(VertexId at, Links next) const;
  bool is_beside(VertexId at) const;
  Choices from_endpoint(VertexId at, VertexId to);
  Choices choices(const Known& known) const;
  void draw(const Demand& demand, std::uint32_t block);

  const NetworkGraph& graph_;
  const Routes& routes_;
  std::uint64_t seed_;
  Attachments attachments_;
  SetId set_;    // of the destination
  VertexId to_;  // destination
  std::uint32_t family_ = ~0u;
  std::uint32_t targets_ = 0;  // number of the last family, set or destination
  std::uint32_t family_target_ = 0, set_target_ = 0, end_target_ = 0;
  std::vector<Known> known_;                  // by switch
  std::vector<LinkId> links_;                 // towards the family
  std::vector<LinkId> first_, first_before_;  // of the source, now and before anything failed
  std::vector<QueuePair> pairs_;
};

inline HashedPaths::Choices HashedPaths::choices(const Known& known) const {
  const Links working = Links(links_).subspan(known.begin, known.end - known.begin);
  if (known.before_end == known.end) return {working, working};
  return {working, Links(links_).subspan(known.end, known.before_end - known.end)};
}

inline HashedPaths::Choices HashedPaths::next(VertexId at, VertexId to) {
  const Known& known = known_[graph_.switch_number(at)];
  const bool is_known = known.target == family_target_ || known.target == set_target_ || known.target == end_target_;
  if (!is_known) return look_up(at, to);
  return choices(known);
}

template <class Add>
void HashedPaths::lay(std::span<const Demand> demands, Add add) {
  for (const Demand& demand : by_switches(demands)) {
    const double share = demand.bytes / static_cast<double>(pairs_.size());
    if (demand.from != demand.to) walk(demand, [&](LinkId link) { add(link, share); });
  }
}

template <class Visit>
void HashedPaths::walk(const Demand& demand, Visit visit) {
  aim(demand);
  for (QueuePair& pair : pairs_) pair.at = demand.from;
  constexpr std::uint32_t none = ~0u, hops_of_block = 4;
  std::uint32_t block = none;
  for (std::uint32_t hop = 0, under_way = 1; under_way > 0; ++hop) {
    under_way = 0;
    VertexId last;
    Choices choices;
    for (QueuePair& pair : pairs_) {
      if (pair.at == demand.to) continue;
      if (pair.at != last) {
        last = pair.at;
        choices = hop == 0 ? from_endpoint(last, demand.to) : next(last, demand.to);
        if (choices.working.empty()) throw_no_path(graph_, demand.from, demand.to);
      }
      const bool several = choices.working.size() > 1;
      if (several && block != hop / hops_of_block) draw(demand, block = hop / hops_of_block);
      const LinkId link = several ? hashed_link(pair.draws[hop % hops_of_block], choices.working, choices.before)
                                  : choices.working.front();
      visit(link);
      pair.at = graph_.to(link);
      ++under_way;
    }
  }
}

}  // namespace clusterwright
