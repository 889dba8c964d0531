// SPDX-License-Identifier: Apache-2.0
/// A picture of boxes and lines as text for Graphviz (https://graphviz.org/doc/info/lang.html).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace clusterwright {

struct Picture {
  struct Vertex {
    std::string name;   ///< its own
    std::string label;  ///< lines separated by '\n'
    int level = 0;      ///< vertices of one level stand side by side, level 0 at the bottom
  };
  struct Edge {
    std::size_t lower = 0;  ///< of `vertices`; its level is no higher than that of `upper`
    std::size_t upper = 0;
    std::string label;
    bool broken = false;
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

/// In double quotes, which the text may itself hold; line ends become line breaks of a label.
std::string graphviz_quoted(const std::string& text);

}  // namespace clusterwright
