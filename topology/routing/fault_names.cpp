// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/fault_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace clusterwright {

std::string fault_name(const NetworkGraph& graph, VertexId part) {
  if (graph.is_endpoint(part)) return fmt::format("node:{}.{}", graph.node_of(part).value, graph.rail_of(part));
  for (const SwitchTier& tier : graph.tiers())
    if (part >= tier.first && part - tier.first < static_cast<int>(tier.count))
      return fmt::format("{}:{}", tier.name, part - tier.first);
  return graph.name(part);
}

std::string fault_name(const NetworkGraph& graph, LinkId cable) {
  const VertexId from = graph.from(cable), to = graph.to(cable);
  if (graph.is_endpoint(from)) return fault_name(graph, from);
  if (graph.is_endpoint(to)) return fault_name(graph, to);
  std::vector<LinkId> parallel;
  for (const LinkId link : graph.leaving(from))
    if (graph.to(link) == to) parallel.push_back(link);
  const std::string ends = fault_name(graph, from) + "-" + fault_name(graph, to);
  if (parallel.size() < 2) return ends;
  return ends + fmt::format("#{}", std::ranges::find(parallel, cable) - parallel.begin());
}

}  // namespace clusterwright
