// SPDX-License-Identifier: Apache-2.0
#include "tools/output/farthest_latency.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace clusterwright {

namespace {

struct Farthest {
  VertexId endpoint;
  Seconds latency;
};

/// Dijkstra from one endpoint; others pass nothing on.
Farthest farthest_from(const NetworkGraph& graph, VertexId source) {
  using Arrival = std::pair<Seconds, VertexId>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> waiting;
  IndexedVector<VertexId, std::optional<Seconds>> known(graph.vertices());
  Farthest farthest{source, {}};
  waiting.push({{}, source});
  while (!waiting.empty()) {
    const auto [latency, v] = waiting.top();
    waiting.pop();
    if (known[v]) continue;
    known[v] = latency;
    const bool is_end = graph.is_endpoint(v);
    if (is_end && latency > farthest.latency) farthest = {v, latency};
    if (is_end && v != source) continue;
    for (const LinkId link : graph.leaving(v))
      if (graph.works(link) && !known[graph.to(link)])
        waiting.push({latency + graph.latency(std::span(&link, 1)), graph.to(link)});
  }
  return farthest;
}

}  // namespace

Seconds farthest_latency(const NetworkGraph& graph, const Diameter& diameter) {
  const auto& kinds = graph.link_kinds();
  const auto works = [&](LinkId link) { return graph.works(link); };
  const bool all_short =
      std::all_of(kinds.begin(), kinds.end(), [](const LinkKind& kind) { return kind.extra_latency == Seconds{}; });
  if (all_short) return diameter.switches * graph.hop_latency();
  std::vector<VertexId> working;
  for (const VertexId v : graph.endpoint_ids())
    if (const auto links = graph.leaving(v); std::any_of(links.begin(), links.end(), works)) working.push_back(v);
  if (working.empty()) return {};
  Seconds most;
  for (const VertexId start : {working.front(), working.back()}) {
    const Farthest first = farthest_from(graph, start);
    most = std::max({most, first.latency, farthest_from(graph, first.endpoint).latency});
  }
  return most;
}

}  // namespace clusterwright
