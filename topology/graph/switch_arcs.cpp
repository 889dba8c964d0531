// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/switch_arcs.hpp"

#include <algorithm>

namespace clusterwright {

SwitchArcs::SwitchArcs(const NetworkGraph& graph) {
  begin_.push_back(0);
  std::vector<Arc> here;
  for (const VertexId v : graph.switch_ids()) {
    here.clear();
    for (const LinkId link : graph.leaving(v))
      if (!graph.is_endpoint(graph.to(link)) && graph.works(link))
        here.push_back({graph.switch_number(graph.to(link)), graph.capacity(link)});
    const auto by_head = [](const Arc& a, const Arc& b) { return a.to < b.to; };
    if (!std::is_sorted(here.begin(), here.end(), by_head)) std::stable_sort(here.begin(), here.end(), by_head);
    for (const Arc& arc : here) {
      const bool parallel = arcs_.size() > begin_.back() && arcs_.back().to == arc.to;
      if (parallel)
        arcs_.back().capacity += arc.capacity;
      else
        arcs_.push_back(arc);
    }
    begin_.push_back(arcs_.size());
  }
}

}  // namespace clusterwright
