// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/graph/network.hpp"

namespace clusterwright {

/// Switches between the two endpoints that are farthest apart, on shortest paths.
struct Diameter {
  int switches = 0;
  bool exact = true;  ///< false: a lower bound, from a sample of the switches that have endpoints
};

/// Diameter over working links, from all switches that have endpoints while that is affordable. In a torus or mesh
/// without failures one corner is enough.
Diameter network_diameter(const Network& network);

}  // namespace clusterwright
