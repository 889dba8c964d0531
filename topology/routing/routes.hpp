// SPDX-License-Identifier: Apache-2.0
/// Shortest paths through a network graph, around what has failed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Links that lead nearer to an endpoint. Computed once; safe to read from several threads. Endpoints pass nothing on.
class Routes {
 public:
  virtual ~Routes() = default;

  /// Links on the way from `from` to endpoint `to`, the first included; -1 if there is no way.
  virtual int hops(VertexId from, VertexId to) const = 0;

  /// Appends working links that leave `at` on shortest paths to endpoint `to`, in the order of their numbers; nothing
  /// at `to` itself or when it cannot be reached.
  virtual void next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const = 0;

  /// Routes before anything failed, by which a hash picks links first: flows that a failure does not touch stay where
  /// they are. nullptr: nothing has failed.
  virtual const Routes* before_failures() const { return nullptr; }

  /// Number that `to` shares with endpoints towards which next links are the same from all switches but those beside
  /// their own: racks of a pod. By default an endpoint is alone.
  virtual std::uint32_t family(VertexId to) const { return to.value; }

  bool reaches(VertexId from, VertexId to) const { return hops(from, to) >= 0; }
};

/// Routes of any graph, all shortest paths, by breadth-first search from the switches that have endpoints, 64 at a
/// time. Memory is one byte for each pair of a switch and such a switch; two where paths are very long.
///
/// Where switches have groups, a path is shorter if it passes fewer links between groups, and of equally many if it has
/// fewer links: minimal routing of a dragonfly, which never crosses a third group to save a local link. A torus without
/// failures is routed by its coordinates instead: shortest, one side after the other.
///
/// The routes keep what they need of `graph`; links that fail later are not noticed.
/// @param torus_sides  of a graph made by build_network; empty for other shapes
/// @param groups       for each switch (vertex - endpoints) its group; empty where the fabric has none
std::unique_ptr<Routes> make_routes(const NetworkGraph& graph, const std::vector<int>& torus_sides = {},
                                    std::span<const int> groups = {});

}  // namespace clusterwright
