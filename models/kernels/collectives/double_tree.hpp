// SPDX-License-Identifier: Apache-2.0
/// The two binary trees of NCCL's tree all-reduce.
#pragma once

#include <utility>
#include <vector>

namespace clusterwright {

/// Edges of two binary trees over the same nodes: (parent, child).
///
/// In the first one node 0 is the root, and node i with lowest set bit b hangs below i - b + 2 b, or i - b where that
/// does not exist: odd nodes are leaves. The second is the first mirrored (even number of nodes) or shifted by one
/// (odd), so that only node 0 of an odd number is interior in both.
/// @source github.com/NVIDIA/nccl, src/graph/trees.cc
struct DoubleTree {
  std::vector<std::pair<int, int>> first, second;
};

/// @param nodes  1 or more; a single one has no edges
DoubleTree double_binary_tree(int nodes);

}  // namespace clusterwright
