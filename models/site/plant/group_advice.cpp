// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/group_advice.hpp"

#include <fmt/format.h>

#include "models/site/plant/link_parts.hpp"
#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

/// Least switches, and least share of all, that a remark is worth.
constexpr long long least_saving = 8;
constexpr double least_share = 0.02;

using Shape = std::vector<FatTreeTier>;

/// Shape of a tree that joins all nodes; empty where it cannot be built.
Shape shape_of(const FabricSpec& fabric, const NetworkSize& size, const FabricPorts& ports) {
  if (!fat_tree_errors(fabric, size, ports).empty()) return {};
  try {
    Shape shape = fat_tree_shape(fabric, size, ports);
    if (shape.back().nodes >= size.nodes) return shape;
  } catch (const std::invalid_argument&) {  // tiers that do not nest
  }
  return {};
}

double price_of(const Shape& shape, const FabricSpec& fabric, const NetworkSize& size, const Catalog& catalog) {
  double sum = 0;
  for (std::size_t t = 0; t < shape.size(); ++t) {
    const SwitchPart* part = catalog.find_switch(fabric.tiers[t].switch_part);
    sum += static_cast<double>(fat_tree_switches({shape[t]}, size.nodes)) *
           (part ? usual_price_usd(part->price_usd).value_or(0) : 0);
  }
  return sum;
}

}  // namespace

void advise_on_groups(const FabricSpec& fabric, const NetworkSize& one_site, const Catalog& catalog,
                      std::vector<std::string>& warnings) {
  if (fabric.kind != FabricKind::fat_tree) return;
  const FabricPorts ports = fabric_ports(fabric, catalog);
  const Shape built = shape_of(fabric, one_site, ports);
  if (built.empty()) return;
  const long long switches = fat_tree_switches(built, one_site.nodes);
  for (std::size_t t = 1; t + 1 < fabric.tiers.size(); ++t) {
    const int filled = one_site.nodes % built[t].nodes;
    if (fabric.tiers[t].accelerators == 0 || filled == 0) continue;
    FabricSpec open = fabric;
    open.tiers[t].accelerators = 0;
    const Shape better = shape_of(open, one_site, ports);
    const long long saved = better.empty() ? 0 : switches - fat_tree_switches(better, one_site.nodes);
    if (saved < least_saving || static_cast<double>(saved) < least_share * static_cast<double>(switches)) continue;
    const int each = one_site.accelerators_per_node;
    const double dollars = price_of(built, fabric, one_site, catalog) - price_of(better, open, one_site, catalog);
    warnings.push_back(
        fmt::format("the last group of tier \"{}\" has {} of {} accelerators and is built whole: groups of {} take {} "
                    "switches less "
                    "of {} (${:.1f} M at usual prices)",
                    fabric.tiers[t].name, filled * each, built[t].nodes * each, better[t].nodes * each, saved, switches,
                    dollars / 1e6));
  }
}

}  // namespace clusterwright
