// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/group_advice.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "models/site/plant/link_parts.hpp"
#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

/// Least switches, and least share of all, that a remark is worth.
constexpr long long least_saving = 8;
constexpr double least_share = 0.02;
constexpr int most_growth = 2;  // of a machine that a top tier leaves room for without a remark

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

/// A tree as it is stated, and how it is built.
struct StatedTree {
  const FabricSpec& fabric;
  const NetworkSize& size;
  const Catalog& catalog;
  Shape built;
  long long switches = 0;
};

/// The same tree with another size of one tier.
struct OtherTree {
  Shape shape;
  long long saved = 0;  ///< switches
  double dollars = 0;   ///< that these cost at usual prices
};

/// @param accelerators  of a group of the tier; 0: those of the least effort
/// @return nothing where that saves hardly a switch
std::optional<OtherTree> other_tree(const StatedTree& stated, std::size_t tier, int accelerators) {
  FabricSpec open = stated.fabric;
  open.tiers[tier].accelerators = accelerators;
  Shape shape = shape_of(open, stated.size, fabric_ports(open, stated.catalog));
  if (shape.empty()) return {};
  const long long saved = stated.switches - fat_tree_switches(shape, stated.size.nodes);
  if (saved < least_saving || static_cast<double>(saved) < least_share * static_cast<double>(stated.switches))
    return {};
  const double dollars = price_of(stated.built, stated.fabric, stated.size, stated.catalog) -
                         price_of(shape, open, stated.size, stated.catalog);
  return OtherTree{std::move(shape), saved, dollars};
}

std::string saving_words(const StatedTree& stated, const OtherTree& other) {
  return fmt::format("{} switches less of {} (${:.1f} M at usual prices)", other.saved, stated.switches,
                     other.dollars / 1e6);
}

void advise_on_middle(const StatedTree& stated, std::size_t tier, std::vector<std::string>& warnings) {
  const int filled = stated.size.nodes % stated.built[tier].nodes, each = stated.size.accelerators_per_node;
  if (stated.fabric.tiers[tier].accelerators == 0 || filled == 0) return;
  if (const auto other = other_tree(stated, tier, 0))
    warnings.push_back(
        fmt::format("the last group of tier \"{}\" has {} of {} accelerators and is built whole: groups of {} take {}",
                    stated.fabric.tiers[tier].name, filled * each, stated.built[tier].nodes * each,
                    other->shape[tier].nodes * each, saving_words(stated, *other)));
}

/// A top tier is built for its size, which whole groups of the tier below fill.
void advise_on_top(const StatedTree& stated, std::vector<std::string>& warnings) {
  const std::size_t top = stated.built.size() - 1;
  const int each = stated.size.accelerators_per_node, nodes = stated.size.nodes;
  const int group = top > 0 ? stated.built[top - 1].nodes : 1, needed = (nodes + group - 1) / group * group;
  if (top == 0 || stated.built[top].nodes <= most_growth * nodes) return;
  if (const auto other = other_tree(stated, top, needed * each))
    warnings.push_back(fmt::format(
        "tier \"{}\" is built for {} accelerators, {:.1f} times the {} of the machine: built for {} it takes {}",
        stated.fabric.tiers[top].name, stated.built[top].nodes * each,
        static_cast<double>(stated.built[top].nodes) / nodes, nodes * each, needed * each,
        saving_words(stated, *other)));
}

}  // namespace

void advise_on_groups(const FabricSpec& fabric, const NetworkSize& one_site, const Catalog& catalog,
                      std::vector<std::string>& warnings) {
  if (fabric.kind != FabricKind::fat_tree) return;
  StatedTree stated{fabric, one_site, catalog, shape_of(fabric, one_site, fabric_ports(fabric, catalog))};
  if (stated.built.empty()) return;
  stated.switches = fat_tree_switches(stated.built, one_site.nodes);
  for (std::size_t t = 1; t + 1 < fabric.tiers.size(); ++t) advise_on_middle(stated, t, warnings);
  advise_on_top(stated, warnings);
}

}  // namespace clusterwright
