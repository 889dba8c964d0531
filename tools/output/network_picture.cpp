// SPDX-License-Identifier: Apache-2.0
#include "tools/output/network_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sim/plain_number.hpp"
#include "tools/output/output_text.hpp"

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
  if (!edge.broken && !edge.colour.empty())
    attributes += fmt::format(", color=\"{}\", penwidth={:.1f}", edge.colour, edge.width);
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

namespace {

constexpr int no_level = -1;

/// Distance of each switch from the nearest NIC, and nodes below it. Failed links count too: they do not
/// change where a switch stands.
class Levels {
 public:
  struct Span {
    int first = std::numeric_limits<int>::max();
    int last = no_level;
  };

  explicit Levels(const NetworkGraph& graph) : graph_(graph), level_(graph.vertices(), no_level), span_(level_.size()) {
    std::vector<VertexId> now;
    for (const VertexId v : graph.endpoint_ids()) {
      level_[v] = 0;
      const int node = graph.node_of(v) - NodeId(0);
      span_[v] = {node, node};
      now.push_back(v);
    }
    for (int level = 1; !now.empty(); ++level) now = climb(now, level);
    for (const SwitchTier& tier : graph.tiers()) settle_empty(tier);
  }

  int level(VertexId v) const { return level_[v]; }
  Span span(VertexId v) const { return span_[v]; }

 private:
  std::vector<VertexId> climb(const std::vector<VertexId>& from, int level) {
    std::vector<VertexId> reached;
    for (const VertexId v : from)
      for (const LinkId link : graph_.leaving(v)) {
        const VertexId up = graph_.to(link);
        if (level_[up] == no_level) {
          level_[up] = level;
          reached.push_back(up);
        }
        if (level_[up] != level) continue;
        span_[up].first = std::min(span_[up].first, span_[v].first);
        span_[up].last = std::max(span_[up].last, span_[v].last);
      }
    return reached;
  }

  /// A switch whose NIC ports are all empty lies where the one before it does: they are numbered along the fabric.
  void settle_empty(const SwitchTier& tier) {
    VertexId before = tier.first;
    for (const VertexId v : tier.switches()) {
      if (level_[v] > level_[tier.first]) {
        level_[v] = level_[before];
        span_[v] = span_[before];
      }
      before = v;
    }
  }

  const NetworkGraph& graph_;
  IndexedVector<VertexId, int> level_;
  IndexedVector<VertexId, Span> span_;
};

/// Numbers classes by first appearance.
class Folder {
 public:
  Folder(const Cluster& cluster, const NetworkGraph* graph, const Levels* levels)
      : cluster_(cluster), graph_(graph), levels_(levels) {}

  NetworkFold unfolded() const {
    NetworkFold fold;
    for (int node = 0; node < cluster_.nodes(); ++node) add(fold, fold.of_node, fold.classes(), 0);
    if (!graph_) return fold;
    for (std::size_t s = 0; s < graph_->switches(); ++s)
      add(fold, fold.of_switch, fold.classes(), levels_->level(graph_->switch_at(s)));
    return fold;
  }

  /// @param lowest  tier of the fabric whose groups are the smallest to be distinguished; beyond the top: none
  NetworkFold folded(std::size_t lowest) const {
    NetworkFold fold;
    std::map<Key, std::size_t> numbers;
    for (int node = 0; node < cluster_.nodes(); ++node)
      add(fold, fold.of_node, number(numbers, key(0, {node, node}, lowest)), 0);
    for (std::size_t tier = 0; graph_ && tier < graph_->tiers().size(); ++tier) {
      const SwitchTier& switches = graph_->tiers()[tier];
      for (const VertexId v : switches.switches())
        add(fold, fold.of_switch, number(numbers, key(tier + 1, levels_->span(v), lowest)), levels_->level(v));
    }
    return fold;
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, int>;  // kind of vertex, tier of the group, group

  static void add(NetworkFold& fold, std::vector<std::size_t>& of, std::size_t number, int level) {
    of.push_back(number);
    if (number == fold.classes()) fold.level.push_back(level);
  }

  static std::size_t number(std::map<Key, std::size_t>& numbers, const Key& key) {
    return numbers.emplace(key, numbers.size()).first->second;
  }

  /// Smallest distinguished group that holds all nodes of the span.
  Key key(std::size_t kind, Levels::Span span, std::size_t lowest) const {
    const auto first_of = [&](int node) { return AcceleratorId(node * cluster_.node_accelerators); };
    const FabricTiers& fabric = cluster_.fabric;
    std::size_t tier = lowest;
    while (tier < fabric.tiers().size() &&
           fabric.group_of(first_of(span.first), tier) != fabric.group_of(first_of(span.last), tier))
      ++tier;
    if (tier >= fabric.tiers().size()) return {kind, fabric.tiers().size(), 0};
    return {kind, tier, fabric.group_of(first_of(span.first), tier)};
  }

  const Cluster& cluster_;
  const NetworkGraph* graph_;
  const Levels* levels_;
};

std::size_t line_count(const NetworkFold& fold, const NetworkGraph& graph) {
  const auto class_of = [&](VertexId v) {
    return graph.is_endpoint(v) ? fold.of_node[graph.node_of(v).value] : fold.of_switch[graph.switch_number(v)];
  };
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for (const LinkId link : graph.cable_ids())
    if (const std::size_t a = class_of(graph.from(link)), b = class_of(graph.to(link)); a != b)
      lines.push_back({std::min(a, b), std::max(a, b)});
  std::sort(lines.begin(), lines.end());
  return static_cast<std::size_t>(std::unique(lines.begin(), lines.end()) - lines.begin());
}

}  // namespace

NetworkFold fold_network(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most) {
  std::optional<Levels> levels;
  if (graph) levels.emplace(*graph);
  const Folder folder(cluster, graph, levels ? &*levels : nullptr);
  const auto fits = [&](const NetworkFold& fold) {
    return fold.classes() <= most.classes && (!graph || line_count(fold, *graph) <= most.lines);
  };
  if (NetworkFold fold = folder.unfolded(); fits(fold)) return fold;
  for (std::size_t tier = 0; tier < cluster.fabric.tiers().size(); ++tier)
    if (NetworkFold fold = folder.folded(tier); fits(fold)) return fold;
  return folder.folded(cluster.fabric.tiers().size());
}

namespace {

class PictureMaker {
 public:
  PictureMaker(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most, const InkOfLine& ink)
      : cluster_(cluster), graph_(graph), ink_(ink), fold_(fold_network(cluster, graph, most)) {}

  Picture make() {
    picture_.title = cluster_.spec.name;
    picture_.vertices.resize(fold_.classes());
    inside_.resize(fold_.classes(), 0);
    for (std::size_t v = 0; v < fold_.classes(); ++v) picture_.vertices[v].level = fold_.level[v];
    if (graph_) count_cables();
    name_nodes();
    if (graph_) name_switches();
    for (std::size_t v = 0; v < fold_.classes(); ++v)
      if (inside_[v] > 0) picture_.vertices[v].label += fmt::format("\n{} cables inside", count_text(inside_[v]));
    frame_domains();
    return std::move(picture_);
  }

 private:
  struct Cables {
    std::vector<LinkId> upwards;
    std::set<int> rails;  ///< rails of NICs
  };
  using Line = std::tuple<std::size_t, std::size_t, BytesPerSecond>;  // lower end, upper end, rate

  std::size_t vertex_of(VertexId v) const {
    if (graph_->is_endpoint(v)) return fold_.of_node[graph_->node_of(v).value];
    return fold_.of_switch[graph_->switch_number(v)];
  }

  void count_cables() {
    std::map<Line, Cables> lines;
    for (const LinkId link : graph_->cable_ids()) {
      std::size_t lower = vertex_of(graph_->from(link));
      std::size_t upper = vertex_of(graph_->to(link));
      if (fold_.level[lower] > fold_.level[upper]) std::swap(lower, upper);
      if (lower == upper) {
        ++inside_[lower];
        continue;
      }
      if (fold_.level[lower] == fold_.level[upper] && lower > upper) std::swap(lower, upper);
      Cables& cables = lines[{lower, upper, graph_->capacity(link)}];
      cables.upwards.push_back(vertex_of(graph_->from(link)) == lower ? link : opposite(link));
      const VertexId end = graph_->is_endpoint(graph_->from(link)) ? graph_->from(link) : graph_->to(link);
      if (graph_->is_endpoint(end)) cables.rails.insert(graph_->rail_of(end));
    }
    for (const auto& [line, cables] : lines) add_edge(line, cables);
  }

  void add_edge(const Line& line, const Cables& cables) {
    const auto& [lower, upper, rate] = line;
    const bool broken = rate == BytesPerSecond{};
    std::string label;
    if (!cables.rails.empty() && static_cast<int>(cables.rails.size()) < graph_->rails())
      label = fmt::format("{} {}\n", cables.rails.size() == 1 ? "rail" : "rails", ranges_text(cables.rails));
    const auto count = static_cast<long long>(cables.upwards.size());
    if (count > 1) label += count_text(count) + (broken ? " " : " x ");
    label += broken ? "failed" : plain_number(rate.in(gigabit_per_second)) + "G";
    Picture::Edge& edge = picture_.edges.emplace_back(Picture::Edge{lower, upper, std::move(label), broken});
    if (broken || !ink_) return;
    EdgeInk ink = ink_(cables.upwards);
    edge.label += "\n" + ink.label;
    edge.colour = std::move(ink.colour);
    edge.width = ink.width;
  }

  void name_nodes() {
    std::map<std::size_t, std::vector<int>> members;
    for (int node = 0; node < cluster_.nodes(); ++node)
      members[fold_.of_node[static_cast<std::size_t>(node)]].push_back(node);
    for (const auto& [v, nodes] : members) {
      const bool alone = nodes.size() == 1;
      picture_.vertices[v].name =
          alone ? fmt::format("node {}", nodes.front()) : fmt::format("node {}-{}", nodes.front(), nodes.back());
      picture_.vertices[v].label =
          (alone ? picture_.vertices[v].name
                 : fmt::format("{} nodes\n{}-{}", count_text(static_cast<long long>(nodes.size())), nodes.front(),
                               nodes.back())) +
          accelerators_text(nodes);
    }
  }

  std::string accelerators_text(const std::vector<int>& nodes) const {
    std::map<std::string, long long> counts;
    for (const int node : nodes) {
      const NodeGroup& group = cluster_.group_of_node(NodeId(node));
      counts[group.accelerator.id] += group.node_accelerators;
    }
    std::string text;
    for (const auto& [accelerator, count] : counts) text += fmt::format("\n{} x {}", count_text(count), accelerator);
    return text;
  }

  void name_switches() {
    std::map<std::size_t, std::vector<VertexId>> members;
    for (std::size_t s = 0; s < graph_->switches(); ++s) members[fold_.of_switch[s]].push_back(graph_->switch_at(s));
    for (const auto& [v, switches] : members) {
      const std::string first = graph_->name(switches.front());
      const auto count = static_cast<long long>(switches.size());
      const std::string tier = first.substr(0, first.rfind(' '));
      picture_.vertices[v].name = count == 1 ? first : fmt::format("{} and {} more", first, count - 1);
      picture_.vertices[v].label = count == 1 ? first : fmt::format("{} x {}", count_text(count), tier);
    }
  }

  void frame_domains() {
    const bool folded = fold_.of_node.size() > 1 && fold_.of_node.back() + 1 < fold_.of_node.size();
    if (folded) return;
    for (const NodeGroup& group : cluster_.groups) {
      const int each = group.domain / group.node_accelerators;
      for (int node = 0; each > 1 && node < group.nodes; node += each) {
        Picture::Frame frame{fmt::format("scale-up domain of {} GPUs", group.domain), {}};
        for (int member = node; member < std::min(node + each, group.nodes); ++member)
          frame.vertices.push_back(fold_.of_node[(group.first_node + member).value]);
        picture_.frames.push_back(std::move(frame));
      }
    }
  }

  const Cluster& cluster_;
  const NetworkGraph* graph_;
  const InkOfLine& ink_;
  NetworkFold fold_;
  std::vector<long long> inside_;
  Picture picture_;
};

}  // namespace

Picture network_picture(const Cluster& cluster, const NetworkGraph* graph) {
  return network_picture(cluster, graph, {most_picture_vertices, most_picture_lines}, {});
}

Picture network_picture(const Cluster& cluster, const NetworkGraph* graph, FoldLimit most, const InkOfLine& ink) {
  return PictureMaker(cluster, graph, most, ink).make();
}

}  // namespace clusterwright
