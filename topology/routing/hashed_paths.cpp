// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/hashed_paths.hpp"

#include <algorithm>

namespace clusterwright {

HashedPaths::HashedPaths(const NetworkGraph& graph, const Routes& routes, int queue_pairs, std::uint64_t seed)
    : graph_(graph),
      routes_(routes),
      seed_(seed),
      attachments_(graph),
      known_(graph.switches()),
      pairs_(static_cast<std::size_t>(queue_pairs)) {}

void HashedPaths::lay(std::span<const Demand> demands, LinkLoads& loads) {
  std::vector<Demand> ordered(demands.begin(), demands.end());
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Demand& a, const Demand& b) {
    return attachments_.set_of(a.to) < attachments_.set_of(b.to);
  });
  for (const Demand& demand : ordered) {
    const double share = demand.bytes / static_cast<double>(pairs_.size());
    if (demand.from != demand.to) walk(demand, [&](LinkId link) { loads[link] += share; });
  }
}

/// Forgets next links towards another destination, or towards all that shared its switches.
void HashedPaths::aim(const Demand& demand) {
  const SetId set = attachments_.set_of(demand.to);
  if (!set.exists()) throw_no_path(graph_, demand.from, demand.to);
  if (demand.to == to_) return;
  to_ = demand.to;
  end_target_ = ++targets_;
  if (set == set_) return;
  set_ = set;
  set_target_ = ++targets_;
  links_.clear();
}

void HashedPaths::draw(const Demand& demand, std::uint32_t block) {
  for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair)
    pairs_[pair].draws = philox({demand.from.value, demand.to.value, pair, block}, seed_);
}

HashedPaths::Choices HashedPaths::from_endpoint(VertexId at, VertexId to) {
  first_.clear();
  routes_.next_links(at, to, first_);
  const Routes* whole = routes_.before_failures();
  if (!whole) return {first_, first_};
  first_before_.clear();
  whole->next_links(at, to, first_before_);
  return {first_, first_before_};
}

HashedPaths::Choices HashedPaths::look_up(VertexId at, VertexId to) {
  const std::vector<VertexId>& beside = attachments_.switches(set_);
  const bool last = std::find(beside.begin(), beside.end(), at) != beside.end();
  const auto begin = static_cast<std::uint32_t>(links_.size());
  routes_.next_links(at, to, links_);
  const auto end = static_cast<std::uint32_t>(links_.size());
  if (const Routes* whole = routes_.before_failures()) whole->next_links(at, to, links_);
  const Known known{last ? end_target_ : set_target_, begin, end, static_cast<std::uint32_t>(links_.size())};
  known_[graph_.switch_number(at)] = known;
  return choices(known);
}

}  // namespace clusterwright
