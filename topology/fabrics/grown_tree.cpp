// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/grown_tree.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

constexpr std::array<const char*, 5> tier_names = {"leaf", "spine", "core", "core-2", "core-3"};

TierSpec tier_of(const TreeStock& stock, std::size_t tier) {
  return {tier_names[tier], 0, tier == 0 ? stock.taper : 1, stock.switch_part};
}

/// Leaf under a second tier: its nodes, the cables up from each of its switches, and the taper that gives it these.
struct LeafChoice {
  int nodes = 0;
  int rails = 1;
  int uplinks = 0;
  double taper = 1;
};

/// Leaves to try. Without taper only the largest, as reference designs have it.
class LeafChoices {
 public:
  LeafChoices(const FabricSpec& two_tiers, const TreeStock& stock, NetworkSize size, int domain_nodes) : stock_(stock) {
    size.nodes = 1;
    const auto shape = joining_shape(two_tiers, size, grown_ports(two_tiers, stock));
    if (!shape) return;
    const FatTreeTier& largest = shape->front();
    rails_ = largest.rails;
    ends_ = largest.down_ports / largest.nodes;
    rate_ratio_ = largest.uplink_rate > BytesPerSecond{} ? size.nic_rate / largest.uplink_rate : 1;
    const int whole = domain_nodes > 0 ? largest.nodes / domain_nodes * domain_nodes : 0;
    if (2 * whole >= largest.nodes) step_ = domain_nodes;
    most_ = whole_steps(largest.nodes);
    list_.push_back({most_, rails_, largest.uplinks * most_ / largest.nodes, stock.taper});
    if (stock.taper > 1)
      for (int up = 1; up < stock.ports; ++up) try_uplinks(up);
  }

  std::vector<LeafChoice>& list() { return list_; }

 private:
  int whole_steps(int nodes) const { return nodes / step_ * step_; }

  /// Adds the leaf of the most nodes that so many cables up serve. Leaves of less than half of the largest, and those
  /// that would have more rate up than down, gain nothing.
  void try_uplinks(int up) {
    const int down = std::min(static_cast<int>(up * stock_.taper / rate_ratio_ + nearly_whole), stock_.ports - up);
    const int nodes = whole_steps(down / ends_);
    const double taper = nodes * ends_ * rate_ratio_ / up;
    if (2 * nodes >= most_ && taper >= 1) list_.push_back({nodes, rails_, up, taper});
  }

  /// Tolerance for products that are whole except for the last bit.
  static constexpr double nearly_whole = 1e-9;

  const TreeStock& stock_;
  int rails_ = 1;
  int ends_ = 1;  ///< NICs of one node on one leaf
  double rate_ratio_ = 1;
  int step_ = 1;  ///< nodes of a domain, where leaves take whole ones
  int most_ = 0;
  std::vector<LeafChoice> list_;
};

/// Sizes of the groups that were chosen; the top stays open for more.
void write_sizes(const std::vector<FatTreeTier>& shape, int node_accelerators, FabricSpec& fabric) {
  for (std::size_t t = 0; t + 1 < shape.size(); ++t) fabric.tiers[t].accelerators = shape[t].nodes * node_accelerators;
}

/// Tree of so many tiers that joins the nodes with the least effort: with fewer cables up than ports a leaf may spread
/// over fewer spines. Of equal trees the one of the larger leaf. Nothing where none joins them.
class LeastTree {
 public:
  LeastTree(const FabricSpec& open, const TreeStock& stock, const NetworkSize& site)
      : open_(open), stock_(stock), site_(site) {}

  std::optional<FabricSpec> of(std::vector<LeafChoice>& leaves) {
    std::ranges::sort(leaves, {}, [&](const LeafChoice& leaf) { return bound(leaf); });
    for (const LeafChoice& leaf : leaves) {
      if (best_ && bound(leaf) > least_) break;
      weigh(leaf);
    }
    return std::move(best_);
  }

 private:
  /// Effort that no tree of these leaves undercuts: their cables pass every tier between as many, and fill the top.
  double bound(const LeafChoice& leaf) const {
    if (leaf.nodes == 0 || open_.tiers.size() < 2) return 0;
    std::vector<FatTreeTier> alone(1);
    alone[0].nodes = leaf.nodes, alone[0].rails = leaf.rails, alone[0].uplinks = leaf.uplinks;
    const double effort = fat_tree_effort(alone, site_.nodes);
    const auto leaves = static_cast<double>(fat_tree_switches(alone, site_.nodes));
    const double filled = leaves * leaf.uplinks / stock_.ports;  // switches that have no ports up
    return effort + static_cast<double>(open_.tiers.size() - 2) * (2 * filled + effort - leaves) + filled;
  }

  void weigh(const LeafChoice& leaf) {
    FabricSpec tree = open_;
    tree.tiers[0].accelerators = leaf.nodes * site_.accelerators_per_node;
    tree.tiers[0].taper = leaf.taper;
    const auto shape = joining_shape(tree, site_, grown_ports(tree, stock_));
    if (!shape) return;
    const double effort = fat_tree_effort(*shape, site_.nodes);
    const bool better = !best_ || effort < least_ || (effort == least_ && leaf.nodes > nodes_);
    if (!better) return;
    write_sizes(*shape, site_.accelerators_per_node, tree);
    best_ = std::move(tree), least_ = effort, nodes_ = leaf.nodes;
  }

  const FabricSpec& open_;
  const TreeStock& stock_;
  const NetworkSize& site_;
  std::optional<FabricSpec> best_;
  double least_ = 0;
  int nodes_ = 0;
};

}  // namespace

bool is_open_tree(const FabricSpec& fabric) {
  return fabric.kind == FabricKind::fat_tree && fabric.tiers.empty();
}

FabricPorts grown_ports(const FabricSpec& fabric, const TreeStock& stock) {
  return {std::vector<int>(fabric.tiers.size(), stock.ports),
          0,
          std::vector<BytesPerSecond>(fabric.tiers.size(), stock.port_rate),
          {}};
}

FabricSpec grown_tree(FabricSpec fabric, const TreeStock& stock, const NetworkSize& size, int domain_nodes) {
  fabric.switch_part.clear();
  fabric.taper = 1;
  fabric.tiers.clear();
  if (size.nodes % site_count(fabric) != 0) return fabric;
  const NetworkSize site = site_size(fabric, size);
  FabricSpec tree = fabric;
  std::vector<LeafChoice> leaves = {{0, 1, 0, stock.taper}};  // one tier: as many nodes as its ports allow
  for (std::size_t t = 0; t < tier_names.size(); ++t) {
    tree.tiers.push_back(tier_of(stock, t));
    if (t == 1) leaves = std::move(LeafChoices(tree, stock, site, domain_nodes).list());
    if (auto least = LeastTree(tree, stock, site).of(leaves)) return std::move(*least);
  }
  return fabric;
}

}  // namespace clusterwright
