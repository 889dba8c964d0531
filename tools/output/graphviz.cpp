// SPDX-License-Identifier: Apache-2.0
#include "tools/output/graphviz.hpp"

#include <fmt/format.h>

#include <map>

#include "tools/output/escape.hpp"

namespace clusterwright {

namespace {

std::string vertex_line(const Picture::Vertex& vertex) {
  const char* const fill = vertex.level == 0 ? "#e8f0fe" : "#f3f3f3";
  return fmt::format("  {} [label={}, fillcolor=\"{}\"];\n", graphviz_quoted(vertex.name),
                     graphviz_quoted(vertex.label), fill);
}

std::string edge_line(const Picture& picture, const Picture::Edge& edge) {
  const Picture::Vertex& lower = picture.vertices[edge.lower];
  const Picture::Vertex& upper = picture.vertices[edge.upper];
  std::string attributes = "label=" + graphviz_quoted(edge.label);
  if (lower.level == upper.level) attributes += ", constraint=false";  // else it would push one end up
  if (edge.broken) attributes += ", style=dashed, color=red";
  return fmt::format("  {} -- {} [{}];\n", graphviz_quoted(lower.name), graphviz_quoted(upper.name), attributes);
}

std::string names(const Picture& picture, const std::vector<std::size_t>& vertices) {
  std::string text;
  for (const std::size_t v : vertices) text += graphviz_quoted(picture.vertices[v].name) + "; ";
  return text;
}

/// Levels side by side; frames hold their vertices together instead, as Graphviz does not take both.
std::string ranks(const Picture& picture) {
  std::map<int, std::vector<std::size_t>> levels;
  for (std::size_t v = 0; v < picture.vertices.size(); ++v)
    if (picture.vertices[v].level > 0 || picture.frames.empty()) levels[picture.vertices[v].level].push_back(v);
  std::string text;
  for (const auto& [level, vertices] : levels) text += fmt::format("  {{ rank=same; {}}}\n", names(picture, vertices));
  return text;
}

std::string frames(const Picture& picture) {
  std::string text;
  for (std::size_t i = 0; i < picture.frames.size(); ++i)
    text += fmt::format("  subgraph \"cluster_{}\" {{ label={}; {}}}\n", i, graphviz_quoted(picture.frames[i].label),
                        names(picture, picture.frames[i].vertices));
  return text;
}

}  // namespace

std::string graphviz_quoted(const std::string& text) {
  std::string out = "\"";
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find('\n', begin);
    for (const char c : printable(std::string_view(text).substr(begin, end - begin))) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    if (end == std::string::npos) return out + "\"";
    out += "\\n";
    begin = end + 1;
  }
}

std::string graphviz_text(const Picture& picture) {
  std::string text = fmt::format("graph {} {{\n  graph [label={}, rankdir=BT, ranksep=1.2, splines=line];\n",
                                 graphviz_quoted(picture.title), graphviz_quoted(picture.title));
  text += "  node [shape=box, style=filled];\n";
  for (const Picture::Vertex& vertex : picture.vertices) text += vertex_line(vertex);
  text += frames(picture) + ranks(picture);
  for (const Picture::Edge& edge : picture.edges) text += edge_line(picture, edge);
  return text + "}\n";
}

}  // namespace clusterwright
