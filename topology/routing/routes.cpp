// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/routes.hpp"

#include <stdexcept>

#include "topology/routing/breadth_first_routes.hpp"
#include "topology/routing/torus_routes.hpp"

namespace clusterwright {

std::unique_ptr<Routes> make_routes(const NetworkGraph& graph, const std::vector<int>& torus_sides,
                                    std::span<const int> groups) {
  if (auto torus = TorusRoutes::recognise(graph, torus_sides)) return torus;
  if (auto routes = BreadthFirstRoutes<std::uint8_t>::make(graph, groups)) return routes;
  if (auto routes = BreadthFirstRoutes<std::uint16_t>::make(graph, groups)) return routes;
  throw std::length_error("a shortest path has too many links to be counted");
}

}  // namespace clusterwright
