// SPDX-License-Identifier: Apache-2.0
/// Networks small enough to check by hand, each laid out from its definition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright::testing {

inline constexpr BytesPerSecond small_rate = 50 * gigabyte_per_second;

/// Three levels, full bisection, one uplink per host, every cable of the same rate: m1 hosts below a leaf, m2 leaves in
/// a group, m3 groups; as many switches above a leaf as it has hosts (m1), and as many cores above each of those as a
/// group has leaves (m2).
class SmallFatTree {
 public:
  SmallFatTree(int m1, int m2, int m3) : m1_(m1), m2_(m2), m3_(m3), graph(m1 * m2 * m3, 1, 500 * nanosecond) {
    const auto kind = graph.add_link_kind({"link", small_rate, {}});
    leaf_ = first(graph.add_switches("leaf", static_cast<std::uint32_t>(m2 * m3)));
    spine_ = first(graph.add_switches("spine", static_cast<std::uint32_t>(m1 * m3)));
    core_ = first(graph.add_switches("core", static_cast<std::uint32_t>(m1 * m2)));
    for (int host = 0; host < hosts(); ++host) graph.connect(graph.endpoint(NodeId(host), 0), leaf(host / m1), kind);
    for (int l = 0; l < m2 * m3; ++l)
      for (int b = 0; b < m1; ++b) graph.connect(leaf(l), spine(l / m2, b), kind);
    for (int group = 0; group < m3; ++group)
      for (int b = 0; b < m1; ++b)
        for (int c = 0; c < m2; ++c) graph.connect(spine(group, b), core(b, c), kind);
    graph.finish();
  }

  int hosts() const { return m1_ * m2_ * m3_; }
  VertexId leaf(int number) const { return leaf_ + number; }
  VertexId spine(int group, int b) const { return spine_ + (group * m1_ + b); }
  VertexId core(int b, int c) const { return core_ + (b * m2_ + c); }

  /// Vertices on the D-mod-K route, both ends included: the destination alone picks the way up.
  std::vector<VertexId> d_mod_k(int from, int to) const {
    const int b = to % m1_;
    const int c = to / m1_ % m2_;
    const int up = from / m1_;
    const int down = to / m1_;
    std::vector<VertexId> path{graph.endpoint(NodeId(from), 0), leaf(up)};
    if (up != down) {
      path.push_back(spine(up / m2_, b));
      if (up / m2_ != down / m2_) path.insert(path.end(), {core(b, c), spine(down / m2_, b)});
      path.push_back(leaf(down));
    }
    path.push_back(graph.endpoint(NodeId(to), 0));
    return path;
  }

 private:
  VertexId first(std::size_t tier) const { return graph.tiers()[tier].first; }

  int m1_;
  int m2_;
  int m3_;
  VertexId leaf_;
  VertexId spine_;
  VertexId core_;

 public:
  NetworkGraph graph;
};

/// Two tiers: every leaf joined to every spine by `parallel` cables; rail r of every node of a leaf's block on a leaf
/// of that rail. In planes each rail has spines of its own, numbered rail by rail.
struct SmallRails {
  int blocks = 2;           ///< leaves of one rail
  int nodes_per_block = 2;  ///< below each leaf
  int rails = 1;
  int spines = 2;  ///< of one plane, or in all
  int parallel = 1;
  bool planes = false;
};

/// Leaf (rail, block) is number rail * blocks + block.
inline NetworkGraph small_rails(const SmallRails& shape) {
  NetworkGraph graph(shape.blocks * shape.nodes_per_block, shape.rails, 500 * nanosecond);
  const auto kind = graph.add_link_kind({"link", small_rate, {}});
  const auto leaves = static_cast<std::uint32_t>(shape.rails * shape.blocks);
  const auto spines = static_cast<std::uint32_t>(shape.spines * (shape.planes ? shape.rails : 1));
  const VertexId leaf = graph.tiers()[graph.add_switches("leaf", leaves)].first;
  const VertexId spine = graph.tiers()[graph.add_switches("spine", spines)].first;
  for (int node = 0; node < graph.nodes(); ++node)
    for (int rail = 0; rail < shape.rails; ++rail)
      graph.connect(graph.endpoint(NodeId(node), rail), leaf + (rail * shape.blocks + node / shape.nodes_per_block),
                    kind);
  for (std::uint32_t l = 0; l < leaves; ++l)
    for (int s = 0; s < shape.spines * shape.parallel; ++s) {
      const auto plane = shape.planes ? static_cast<int>(l) / shape.blocks : 0;
      graph.connect(leaf + l, spine + (plane * shape.spines + s % shape.spines), kind);
    }
  graph.finish();
  return graph;
}

/// One router per node, the first coordinate running fastest; a side of two has one cable.
inline NetworkGraph small_torus(const std::vector<int>& sides, bool wrap = true, int rails = 1) {
  int nodes = 1;
  for (const int side : sides) nodes *= side;
  NetworkGraph graph(nodes, rails, 500 * nanosecond);
  const auto kind = graph.add_link_kind({"link", small_rate, {}});
  const VertexId router = graph.tiers()[graph.add_switches("router", static_cast<std::uint32_t>(nodes))].first;
  for (int node = 0; node < nodes; ++node) {
    for (int rail = 0; rail < rails; ++rail) graph.connect(graph.endpoint(NodeId(node), rail), router + node, kind);
    int stride = 1;
    for (const int side : sides) {
      const int at = node / stride % side;
      const bool last = at == side - 1;
      if (!last || (wrap && side > 2)) {
        const int next = node + (last ? 1 - side : 1) * stride;
        graph.connect(router + node, router + next, kind);
      }
      stride *= side;
    }
  }
  graph.finish();
  return graph;
}

/// p endpoints at a switch, a switches in a group, h global cables per switch, and as many groups as these can join
/// pair by pair, a h + 1.
struct SmallDragonfly {
  SmallDragonfly(int p, int a, int h) : graph(p * a * (a * h + 1), 1, 500 * nanosecond) {
    const int count = a * h + 1;
    const auto local = graph.add_link_kind({"local", small_rate, {}});
    const auto global = graph.add_link_kind({"global", small_rate, {}});
    const VertexId router = graph.tiers()[graph.add_switches("router", static_cast<std::uint32_t>(a * count))].first;
    const auto at = [&](int group, int number) { return router + (group * a + number); };
    for (int e = 0; e < graph.nodes(); ++e) graph.connect(graph.endpoint(NodeId(e), 0), router + (e / p), local);
    for (int group = 0; group < count; ++group) {
      groups.insert(groups.end(), static_cast<std::size_t>(a), group);
      for (int i = 0; i < a; ++i)
        for (int j = i + 1; j < a; ++j) graph.connect(at(group, i), at(group, j), local);
      // Port k of a group leads to the group k + 1 further on, whose port a h - 1 - k leads back.
      for (int k = 0; k < a * h; ++k) {
        const int other = (group + k + 1) % count;
        if (group < other) graph.connect(at(group, k / h), at(other, (a * h - 1 - k) / h), global);
      }
    }
    graph.finish();
  }

  NetworkGraph graph;
  std::vector<int> groups;
};

/// Every switch joined to every other, `endpoints` below each.
inline NetworkGraph small_full_mesh(int switches, int endpoints) {
  NetworkGraph graph(switches * endpoints, 1, 500 * nanosecond);
  const auto kind = graph.add_link_kind({"link", small_rate, {}});
  const VertexId first = graph.tiers()[graph.add_switches("switch", static_cast<std::uint32_t>(switches))].first;
  for (int e = 0; e < graph.nodes(); ++e) graph.connect(graph.endpoint(NodeId(e), 0), first + (e / endpoints), kind);
  for (int i = 0; i < switches; ++i)
    for (int j = i + 1; j < switches; ++j) graph.connect(first + i, first + j, kind);
  graph.finish();
  return graph;
}

/// The first cable from `a` to `b`.
inline LinkId link_between(const NetworkGraph& graph, VertexId a, VertexId b) {
  const auto leaving = graph.leaving(a);
  return *std::find_if(leaving.begin(), leaving.end(), [&](LinkId link) { return graph.to(link) == b; });
}

/// All endpoints.
inline std::vector<VertexId> everyone(const NetworkGraph& graph) {
  return {graph.endpoint_ids().begin(), graph.endpoint_ids().end()};
}

}  // namespace clusterwright::testing
