// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/algorithm_traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

using Edges = std::vector<std::pair<int, int>>;

std::vector<int> parents(const Edges& edges, int nodes) {
  std::vector<int> parent(static_cast<std::size_t>(nodes), -1);
  for (const auto& [above, below] : edges) {
    REQUIRE(parent[static_cast<std::size_t>(below)] == -1);
    parent[static_cast<std::size_t>(below)] = above;
  }
  return parent;
}

/// Edges from `node` up to the root. A cycle would never end.
int depth(const std::vector<int>& parent, int node) {
  int edges = 0;
  for (; parent[static_cast<std::size_t>(node)] >= 0; ++edges) {
    node = parent[static_cast<std::size_t>(node)];
    REQUIRE(edges < static_cast<int>(parent.size()));
  }
  return edges;
}

std::set<int> interior(const Edges& edges) {
  std::set<int> nodes;
  for (const auto& [above, below] : edges) nodes.insert(above);
  return nodes;
}

void check_tree(const Edges& edges, int nodes) {
  const std::vector<int> parent = parents(edges, nodes);
  CHECK(std::count(parent.begin(), parent.end(), -1) == 1);
  const int deepest = static_cast<int>(std::bit_width(static_cast<unsigned>(nodes - 1))) + 1;
  std::vector<int> children(parent.size(), 0);
  for (int node = 0; node < nodes; ++node) {
    CHECK(depth(parent, node) <= deepest);
    if (parent[static_cast<std::size_t>(node)] >= 0)
      ++children[static_cast<std::size_t>(parent[static_cast<std::size_t>(node)])];
  }
  CHECK(*std::max_element(children.begin(), children.end()) <= 2);
}

}  // namespace

TEST_CASE("the trees of small clusters", "[models][double_tree]") {
  CHECK(double_binary_tree(1).first.empty());
  const DoubleTree two = double_binary_tree(2);
  CHECK(two.first == Edges{{0, 1}});
  CHECK(two.second == Edges{{1, 0}});
  // 0 above 2 above 1 and 3; mirrored: 3 above 1 above 2 and 0.
  const DoubleTree four = double_binary_tree(4);
  CHECK(four.first == Edges{{2, 1}, {0, 2}, {2, 3}});
  CHECK(four.second == Edges{{1, 2}, {3, 1}, {1, 0}});
  // Shifted by one: 1 above 0 above 2.
  const DoubleTree three = double_binary_tree(3);
  CHECK(three.first == Edges{{2, 1}, {0, 2}});
  CHECK(three.second == Edges{{0, 2}, {1, 0}});
}

TEST_CASE("both trees span all nodes, are binary and as deep as a logarithm", "[models][double_tree]") {
  for (int nodes = 2; nodes <= 300; ++nodes) {
    INFO(nodes << " nodes");
    const DoubleTree trees = double_binary_tree(nodes);
    check_tree(trees.first, nodes);
    check_tree(trees.second, nodes);
  }
}

TEST_CASE("no node is interior in both trees, but node 0 of an odd number", "[models][double_tree]") {
  for (int nodes = 2; nodes <= 300; ++nodes) {
    INFO(nodes << " nodes");
    const DoubleTree trees = double_binary_tree(nodes);
    const std::set<int> first = interior(trees.first), second = interior(trees.second);
    std::vector<int> both;
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
    CHECK(both == (nodes % 2 == 0 ? std::vector<int>{} : std::vector<int>{0}));
  }
}
