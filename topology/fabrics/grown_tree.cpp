// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/grown_tree.hpp"

#include <algorithm>
#include <array>

#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

constexpr std::array<const char*, 5> tier_names = {"leaf", "spine", "core", "core-2", "core-3"};

TierSpec tier_of(const TreeStock& stock, std::size_t tier) {
  return {tier_names[tier], 0, tier == 0 ? stock.taper : 1, stock.switch_part};
}

/// Nodes below a leaf under a second tier: as many as its ports allow, cut to whole domains where half of the ports
/// stay in use; 0 where not even one fits.
int leaf_nodes(const FabricSpec& two_tiers, const TreeStock& stock, NetworkSize size, int domain_nodes) {
  size.nodes = 1;
  const auto shape = joining_shape(two_tiers, size, grown_ports(two_tiers, stock));
  const int most = shape ? shape->front().nodes : 0;
  const int whole = domain_nodes > 0 ? most / domain_nodes * domain_nodes : 0;
  return 2 * whole >= most ? whole : most;
}

/// Sizes of the groups that were chosen; the top stays open for more.
void write_sizes(const std::vector<FatTreeTier>& shape, int node_accelerators, FabricSpec& fabric) {
  for (std::size_t t = 0; t + 1 < shape.size(); ++t) fabric.tiers[t].accelerators = shape[t].nodes * node_accelerators;
}

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
  for (std::size_t t = 0; t < tier_names.size(); ++t) {
    tree.tiers.push_back(tier_of(stock, t));
    if (t == 1) tree.tiers[0].accelerators = leaf_nodes(tree, stock, site, domain_nodes) * site.accelerators_per_node;
    const auto shape = joining_shape(tree, site, grown_ports(tree, stock));
    if (!shape) continue;
    write_sizes(*shape, site.accelerators_per_node, tree);
    return tree;
  }
  return fabric;
}

}  // namespace clusterwright
