// SPDX-License-Identifier: Apache-2.0
#include "tools/output/network_fold.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace clusterwright {

namespace {

constexpr int no_level = -1;

/// How far each switch is from the nearest NIC, and which nodes it leads down to. Failed links count too: they do not
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

  /// @param lowest  tier of the fabric whose groups are the smallest that are told apart; beyond the top: none
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

  /// The smallest group that is told apart and holds all nodes of the span.
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

}  // namespace clusterwright
