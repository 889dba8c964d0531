/// Shortest paths through a network graph, around what has failed.
#pragma once

#include <memory>
#include <vector>

#include "topology/network/network_graph.hpp"

namespace clusterwright {

/// Which links lead nearer to an endpoint. Computed once; safe to read from several threads.
class Routes {
 public:
  virtual ~Routes() = default;

  /// Links on the way from `from` to endpoint `to`, the first included; -1 if there is no way.
  virtual int hops(VertexId from, VertexId to) const = 0;

  /// Appends the working links that leave `at` on shortest paths to endpoint `to`, in the order of their numbers;
  /// nothing at `to` itself or when it cannot be reached.
  virtual void next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const = 0;
};

/// Routes of any graph, by breadth-first search from the switches that have endpoints, 64 at a time. Memory is one byte
/// for each pair of a switch and such a switch. A torus without failures is routed by its coordinates instead.
/// @param torus_sides  of a graph made by build_torus; empty for other shapes
std::unique_ptr<Routes> make_routes(const NetworkGraph& graph, const std::vector<int>& torus_sides = {});

}  // namespace clusterwright
