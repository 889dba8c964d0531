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

/// Demands by the switches that they lead to.
std::vector<Demand> HashedPaths::by_switches(std::span<const Demand> demands) const {
  std::vector<Demand> ordered(demands.begin(), demands.end());
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Demand& a, const Demand& b) {
    return attachments_.set_of(a.to) < attachments_.set_of(b.to);
  });
  return ordered;
}

/// Forgets next links towards another destination, towards all that shared its switches, or towards its family.
void HashedPaths::aim(const Demand& demand) {
  const SetId set = attachments_.set_of(demand.to);
  if (!set.exists()) throw_no_path(graph_, demand.from, demand.to);
  if (demand.to == to_) return;
  to_ = demand.to;
  end_target_ = ++targets_;
  if (set == set_) return;
  set_ = set;
  set_target_ = ++targets_;
  const std::uint32_t family = routes_.family(demand.to);
  if (family == family_) {  // of which this switch was looked at from afar
    for (const VertexId beside : attachments_.switches(set_)) known_[graph_.switch_number(beside)].target = 0;
    return;
  }
  family_ = family;
  family_target_ = ++targets_;
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
  const auto begin = static_cast<std::uint32_t>(links_.size());
  routes_.next_links(at, to, links_);
  const auto end = static_cast<std::uint32_t>(links_.size());
  if (const Routes* whole = routes_.before_failures()) whole->next_links(at, to, links_);
  const auto before_end = static_cast<std::uint32_t>(links_.size());
  const Known known{target_of(at, Links(links_).subspan(begin)), begin, end, before_end};
  known_[graph_.switch_number(at)] = known;
  return choices(known);
}

/// What the next links of a switch lead to in common. @param next  those before anything failed, too
std::uint32_t HashedPaths::target_of(VertexId at, Links next) const {
  if (is_beside(at)) return end_target_;
  const bool enters = std::ranges::any_of(next, [&](LinkId link) { return is_beside(graph_.to(link)); });
  return enters ? set_target_ : family_target_;
}

bool HashedPaths::is_beside(VertexId at) const {
  const std::vector<VertexId>& beside = attachments_.switches(set_);
  return std::find(beside.begin(), beside.end(), at) != beside.end();
}

}  // namespace clusterwright
