// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/path_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

bool cut_off(const NetworkGraph& graph, VertexId v) {
  const auto links = graph.leaving(v);
  return std::none_of(links.begin(), links.end(), [&](LinkId link) { return graph.works(link); });
}

bool anything_failed(const NetworkGraph& graph) {
  for (const LinkId link : graph.cable_ids())
    if (!graph.works(link)) return true;
  return false;
}

std::string why_no_path(const NetworkGraph& graph, VertexId from, VertexId to) {
  for (const VertexId end : {from, to})
    if (cut_off(graph, end)) return fmt::format("every link of {} has failed", graph.name(end));
  if (anything_failed(graph)) return "the links and switches that work do not join them";
  if (graph.is_endpoint(from) && graph.is_endpoint(to) && graph.rail_of(from) != graph.rail_of(to))
    return fmt::format("no switch joins rail {} and rail {}", graph.rail_of(from), graph.rail_of(to));
  return "the fabric does not join them";
}

}  // namespace

void walk_path(const NetworkGraph& graph, const Routes& routes, const PathKey& key, std::vector<LinkId>& path) {
  path.clear();
  std::vector<LinkId> choices, before;
  PathDraws draws(key);
  for (VertexId at = key.from; at != key.to; at = graph.to(path.back())) {
    choices.clear();
    routes.next_links(at, key.to, choices);
    if (choices.empty()) throw_no_path(graph, key.from, key.to);
    before = choices;
    if (const Routes* whole = routes.before_failures()) {
      before.clear();
      whole->next_links(at, key.to, before);
    }
    const auto hop = static_cast<std::uint32_t>(path.size());
    path.push_back(choices.size() == 1 ? choices.front() : hashed_link(draws.draw(hop), choices, before));
  }
}

void throw_no_path(const NetworkGraph& graph, VertexId from, VertexId to) {
  Diagnostic diagnostic;
  diagnostic.code = "E0320";
  diagnostic.message =
      fmt::format("no path from {} to {}: {}", graph.name(from), graph.name(to), why_no_path(graph, from, to));
  diagnostic.help = "remove a fault, or place the job on nodes that the network still joins";
  throw ConfigError(std::move(diagnostic));
}

}  // namespace clusterwright
