// SPDX-License-Identifier: Apache-2.0
#include "tools/output/network_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tools/output/network_fold.hpp"
#include "tools/output/number_ranges.hpp"
#include "tools/output/number_text.hpp"

namespace clusterwright {

namespace {

class PictureMaker {
 public:
  PictureMaker(const Cluster& cluster, const NetworkGraph* graph)
      : cluster_(cluster),
        graph_(graph),
        fold_(fold_network(cluster, graph, {most_picture_vertices, most_picture_lines})) {}

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
    long long count = 0;
    std::set<int> rails;  ///< of NICs
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
      ++cables.count;
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
    if (cables.count > 1) label += count_text(cables.count) + (broken ? " " : " x ");
    label += broken ? "failed" : fmt::format("{:.4g}G", rate.in(gigabit_per_second));
    picture_.edges.push_back({lower, upper, std::move(label), broken});
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
  NetworkFold fold_;
  std::vector<long long> inside_;
  Picture picture_;
};

}  // namespace

Picture network_picture(const Cluster& cluster, const NetworkGraph* graph) {
  return PictureMaker(cluster, graph).make();
}

}  // namespace clusterwright
