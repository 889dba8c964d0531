// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/double_tree.hpp"

namespace clusterwright {

namespace {

/// @param node  1 or more
int parent_of(int node, int nodes) {
  const int low = node & -node;
  const int above = node - low;
  const int beside = above | (2 * low);
  return beside < nodes ? beside : above;
}

}  // namespace

DoubleTree double_binary_tree(int nodes) {
  const bool mirrored = nodes % 2 == 0;
  const auto moved = [&](int node) { return mirrored ? nodes - 1 - node : (node + 1) % nodes; };
  DoubleTree trees;
  for (int node = 1; node < nodes; ++node) {
    const int parent = parent_of(node, nodes);
    trees.first.emplace_back(parent, node);
    trees.second.emplace_back(moved(parent), moved(node));
  }
  return trees;
}

}  // namespace clusterwright
