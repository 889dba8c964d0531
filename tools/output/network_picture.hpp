// SPDX-License-Identifier: Apache-2.0
/// The network of a cluster as a picture: nodes, switches, and what joins them.
#pragma once

#include "tools/output/graphviz.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Boxes and lines of a picture that can still be read.
inline constexpr std::size_t most_picture_vertices = 64;
inline constexpr std::size_t most_picture_lines = 400;

/// Parallel cables of one rate are one line, "8 x 400G"; what failed is broken. Where there would be more boxes or
/// lines than that, nodes and switches that are alike are one box with their number, and cables inside it are counted
/// there. Frames show scale-up domains that span nodes.
/// @param graph  nullptr for nodes without a network
Picture network_picture(const Cluster& cluster, const NetworkGraph* graph);

}  // namespace clusterwright
