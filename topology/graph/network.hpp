// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Graph of a fabric, with the marks that its kind leaves for routing.
struct Network {
  NetworkGraph graph;
  /// Group of each switch (by switch number) of a dragonfly or dragonfly+, else empty; counted through all
  /// sites, the switches at the border of a site being a group of their own.
  std::vector<int> groups;
  /// Sides of a torus or mesh on a single site, else empty: node n is at x = n % X, y = n / X % Y, z = n / (X Y); its
  /// router is switch n.
  std::vector<int> torus_sides;
};

}  // namespace clusterwright
