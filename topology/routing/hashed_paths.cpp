// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/hashed_paths.hpp"

#include <algorithm>

namespace clusterwright {

HashedPaths::HashedPaths(const NetworkGraph& graph, const Routes& routes, int queue_pairs, std::uint64_t seed)
    : graph_(graph),
      routes_(routes),
      queue_pairs_(queue_pairs),
      seed_(seed),
      attachments_(graph),
      known_(graph.switches()) {}

void HashedPaths::lay(std::span<const Demand> demands, LinkLoads& loads) {
  std::vector<Demand> ordered(demands.begin(), demands.end());
  std::stable_sort(ordered.begin(), ordered.end(), [&](const Demand& a, const Demand& b) {
    return attachments_.set_of(a.to) < attachments_.set_of(b.to);
  });
  for (const Demand& demand : ordered) {
    const double share = demand.bytes / queue_pairs_;
    if (demand.from != demand.to) walk(demand, [&](LinkId link) { loads[link] += share; });
  }
}

void HashedPaths::check(const Demand& demand) const {
  if (!attachments_.set_of(demand.to).exists()) throw_no_path(graph_, demand.from, demand.to);
}

HashedPaths::Links HashedPaths::from_endpoint(VertexId at, VertexId to) {
  first_.clear();
  routes_.next_links(at, to, first_);
  return first_;
}

HashedPaths::Links HashedPaths::next(VertexId at, VertexId to) {
  const SetId set = attachments_.set_of(to);
  const std::vector<VertexId>& beside = attachments_.switches(set);
  if (std::find(beside.begin(), beside.end(), at) != beside.end()) {
    last_.clear();
    routes_.next_links(at, to, last_);
    return last_;
  }
  Known& known = known_[graph_.switch_number(at)];
  if (known.towards != set) {
    const auto begin = static_cast<std::uint32_t>(links_.size());
    routes_.next_links(at, to, links_);
    known = {set, begin, static_cast<std::uint32_t>(links_.size())};
  }
  return Links(links_).subspan(known.begin, known.end - known.begin);
}

}  // namespace clusterwright
