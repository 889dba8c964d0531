// SPDX-License-Identifier: Apache-2.0
/// Picture of a network for Graphviz (https://graphviz.org/doc/info/lang.html), with equal parts folded.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

struct Picture {
  struct Vertex {
    std::string name;   ///< unique name
    std::string label;  ///< lines separated by '\n'
    int level = 0;      ///< vertices of one level stand side by side, level 0 at the bottom
  };
  struct Edge {
    std::size_t lower = 0;  ///< index of a vertex whose level is no higher than that of `upper`
    std::size_t upper = 0;
    std::string label;
    bool broken = false;
    std::string colour = {};  ///< "#rrggbb"; empty: black
    double width = 1;         ///< of the pen
  };
  /// A frame round vertices of level 0.
  struct Frame {
    std::string label;
    std::vector<std::size_t> vertices;
  };

  std::string title;
  std::vector<Vertex> vertices;
  std::vector<Edge> edges;
  std::vector<Frame> frames;
};

std::string graphviz_text(const Picture& picture);

/// Text in double quotes, escaped; line ends become line breaks of a label.
std::string graphviz_quoted(const std::string& text);

/// Nodes and switches as classes, nodes first; each class in the order of its members.
struct NetworkFold {
  std::vector<std::size_t> of_node;    ///< class of each node
  std::vector<std::size_t> of_switch;  ///< class of each switch (vertex - endpoints)
  std::vector<int> level;              ///< level of each class: 0 for nodes, 1 for switches that have NICs, ...
  std::size_t classes() const { return level.size(); }
};

struct FoldLimit {
  std::size_t classes = 0;
  std::size_t lines = 0;  ///< pairs of classes that cables join
};

/// Every node and switch on its own where that stays within `most`. Else the nodes of each group of the lowest tier of
/// the fabric that stays within it are one, and so are the switches of a tier with the same group below them. At last
/// each tier is one.
/// @param graph  nullptr for nodes without a network
NetworkFold fold_network(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most);

/// Boxes and lines of a picture that can still be read.
inline constexpr std::size_t most_picture_vertices = 64;
inline constexpr std::size_t most_picture_lines = 400;

/// Parallel cables of one rate are one line, "8 x 400G"; what failed is broken. Where there would be more boxes or
/// lines than that, nodes and switches that are alike are one box with their number, and cables inside it are counted
/// there. Frames show scale-up domains that span nodes.
/// @param graph  nullptr for nodes without a network
Picture network_picture(const Cluster& cluster, const NetworkGraph* graph);

/// What a line shows beside its cables.
struct EdgeInk {
  std::string label;  ///< a line below the cables
  std::string colour;
  double width = 1;
};
/// @param upwards  direction from the lower to the upper end of each cable of a line
using InkOfLine = std::function<EdgeInk(const std::vector<LinkId>& upwards)>;
Picture network_picture(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most, const InkOfLine& ink);

}  // namespace clusterwright
