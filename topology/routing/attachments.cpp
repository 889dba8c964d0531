// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/attachments.hpp"

#include <algorithm>
#include <map>

namespace clusterwright {

namespace {

std::vector<VertexId> switches_over(std::span<const Attachments::Cable> cables) {
  std::vector<VertexId> switches;
  for (const Attachments::Cable& cable : cables) switches.push_back(cable.over);
  std::sort(switches.begin(), switches.end());
  switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
  return switches;
}

}  // namespace

Attachments::Attachments(const NetworkGraph& graph)
    : cables_begin_(graph.endpoints() + 1, 0), set_of_(graph.endpoints()) {
  IndexedVector<VertexId, SetId> only(graph.vertices());  // the set of one switch alone
  std::map<std::vector<VertexId>, SetId> several;
  for (const VertexId endpoint : graph.endpoint_ids()) {
    for (const LinkId link : graph.leaving(endpoint))
      if (graph.works(link) && !graph.is_endpoint(graph.to(link))) cables_.push_back({link, graph.to(link)});
    cables_begin_[endpoint.value + 1] = static_cast<std::uint32_t>(cables_.size());
    const auto mine = cables(endpoint);
    if (mine.empty()) continue;
    const bool single = mine.size() == 1 || switches_over(mine).size() == 1;
    SetId& set = single ? only[mine.front().over] : several[switches_over(mine)];
    if (!set.exists()) set = switches_.push_back(switches_over(mine));
    set_of_[endpoint] = set;
  }
}

}  // namespace clusterwright
