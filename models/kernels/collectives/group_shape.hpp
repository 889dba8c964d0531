// SPDX-License-Identifier: Apache-2.0
/// Where the ranks of a communicator lie.
#pragma once

namespace clusterwright {

/// How a communicator lies on the machine. A node here is what links inside: a server, or a rack that acts as one.
struct GroupShape {
  int nodes = 1;
  int ranks_per_node = 1;
  int surplus = 0;  ///< members beyond that, where nodes are not filled evenly
  int ranks() const { return nodes * ranks_per_node + surplus; }
};

}  // namespace clusterwright
