#include <algorithm>

#include "topology/fabrics/endpoint_slots.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/fat_tree.hpp"
#include "topology/fabrics/global_links.hpp"
#include "topology/fabrics/hyperx.hpp"
#include "topology/fabrics/torus.hpp"

namespace clusterwright {

namespace {

constexpr long long most_tier_accelerators = 1 << 30;
constexpr double tier_rounding = 1e-9;

/// The tiers of one site, from the nodes up.
class SiteTiers {
 public:
  SiteTiers(const FabricSpec& spec, const NetworkSize& size) : spec_(spec), size_(size) {}

  /// @param uplink    of one group, one direction
  /// @param switches  on the way between the two nodes of a group that are farthest apart
  void add(std::string name, long long nodes, BytesPerSecond uplink, int switches) {
    FabricTiers::Tier tier;
    tier.name = std::move(name);
    tier.accelerators = static_cast<int>(std::min(most_tier_accelerators, nodes * size_.accelerators_per_node));
    tier.uplink_capacity = uplink;
    tier.tapered = uplink < (1 - tier_rounding) * (tier.accelerators * size_.per_accelerator());
    tier.turn_latency = switches * spec_.hop_latency.value;
    tiers.push_back(std::move(tier));
  }

  /// A group of switches with equally many NIC ports; left out where its edge would cut through a node.
  void add_switches(std::string name, long long switches, long long per_switch, double cables, int crossed) {
    const long long ends = switches * per_switch;
    if (ends % size_.nics_per_node != 0) return;
    add(std::move(name), ends / size_.nics_per_node, cables * link_rate(), crossed);
  }

  void add_top(long long nodes, int crossed) {
    add("all", nodes, {}, crossed);
    tiers.back().tapered = false;
    to_border = crossed;
  }

  BytesPerSecond link_rate() const { return switch_link_rate(spec_, size_); }

  std::vector<FabricTiers::Tier> tiers;
  int to_border = 1;  ///< switches from a node to the border of its site, that of the border left out

 private:
  const FabricSpec& spec_;
  const NetworkSize& size_;
};

void add_fat_tree(SiteTiers& site, const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  int switches = 1;
  for (const FatTreeTier& tier : fat_tree_shape(spec, size, ports)) {
    site.add(tier.name, tier.nodes, tier.uplink_capacity, switches);
    site.tiers.back().tapered = tier.tapered;
    switches += 2;
  }
  site.to_border = static_cast<int>(site.tiers.size());
}

void add_dragonfly(SiteTiers& site, const FabricSpec& spec, int nics) {
  const DragonflySpec& d = *spec.dragonfly;
  const int a = d.switches_per_group;
  const GlobalLinks global(d.groups, static_cast<long long>(a) * d.global_links_per_switch);
  const auto globals = static_cast<double>(global.of_group());
  const EndpointSlots slots = endpoint_slots(spec);
  const int in_group = std::min(a, 2);
  site.add_switches("switch", 1, d.endpoints_per_switch, a - 1 + globals / a, 1);
  if (d.groups > 1) site.add("group", slots.nodes_per_group(nics), globals * site.link_rate(), in_group);
  if (d.groups > 2 && d.groups % 2 == 0)
    site.add("half", slots.nodes(nics) / 2, static_cast<double>(global.half_cut()) * site.link_rate(), 2 * in_group);
  site.add_top(slots.nodes(nics), d.groups > 1 ? 2 * in_group : in_group);
}

void add_dragonfly_plus(SiteTiers& site, const FabricSpec& spec, int nics) {
  const DragonflyPlusSpec& d = *spec.dragonfly_plus;
  const int spines = d.spines_per_group;
  const GlobalLinks global(d.groups, static_cast<long long>(spines) * d.global_links_per_spine);
  const EndpointSlots slots = endpoint_slots(spec);
  site.add_switches("leaf", 1, d.endpoints_per_leaf, spines, 1);
  if (d.groups > 1)
    site.add("group", slots.nodes_per_group(nics), static_cast<double>(global.of_group()) * site.link_rate(), 3);
  if (d.groups > 2 && d.groups % 2 == 0)
    site.add("half", slots.nodes(nics) / 2, static_cast<double>(global.half_cut()) * site.link_rate(), 4);
  site.add_top(slots.nodes(nics), d.groups > 1 ? 4 : 3);
  site.to_border = 2;
}

/// Names of groups by the number of axes that they fill.
std::string grid_group(std::size_t axes) {
  static const char* const names[] = {"switch", "line", "plane", "cube"};
  return names[std::min<std::size_t>(axes, 3)];
}

std::size_t last_axis(const std::vector<int>& sides) {
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < sides.size(); ++axis)
    if (sides[axis] > 1) last = axis;
  return last;
}

void add_hyperx(SiteTiers& site, const FabricSpec& spec, int nics) {
  const HyperxSpec& grid = *spec.hyperx;
  const std::size_t last = last_axis(grid.sides);
  double outside = 0;  // cables of one switch along the axes not yet filled
  for (std::size_t axis = 0; axis < grid.sides.size(); ++axis)
    outside += static_cast<double>(hyperx_switch_cables(grid, axis));
  long long switches = 1;
  int crossed = 1;
  site.add_switches(grid_group(0), 1, grid.endpoints_per_switch, outside, crossed);
  for (std::size_t axis = 0; axis <= last; ++axis) {
    const int side = grid.sides[axis];
    if (side == 1) continue;
    outside -= static_cast<double>(hyperx_switch_cables(grid, axis));
    ++crossed;
    if (axis == last && side % 2 == 0 && side > 2)
      site.add_switches("half", switches * side / 2, grid.endpoints_per_switch,
                        static_cast<double>(hyperx_half_cut(grid, axis)), crossed);
    switches *= side;
    if (axis < last)
      site.add_switches(grid_group(axis + 1), switches, grid.endpoints_per_switch,
                        outside * static_cast<double>(switches), crossed);
  }
  site.add_top(endpoint_slots(spec).nodes(nics), crossed);
}

void add_torus(SiteTiers& site, const TorusSpec& torus) {
  const std::size_t last = last_axis(torus.sides);
  long long nodes = 1;
  int reach = 0;  // cables between the two routers farthest apart along the axes filled so far
  for (std::size_t axis = 0; axis <= last; ++axis) {
    const int side = torus.sides[axis];
    if (side == 1) continue;
    if (axis == last && side % 2 == 0 && (side > 2 || nodes == 1))
      site.add("half", nodes * side / 2, static_cast<double>(torus_half_cut(torus, axis)) * site.link_rate(),
               reach + side / 2);
    reach += torus.wrap ? side / 2 : side - 1;
    nodes *= side;
    double outside = 0;  // cables of one router along the axes not yet filled, the mean
    for (std::size_t further = axis + 1; further <= last; ++further)
      outside += 2.0 * static_cast<double>(torus_row_cables(torus, further)) / torus.sides[further];
    if (axis < last)
      site.add(grid_group(axis + 1), nodes, outside * static_cast<double>(nodes) * site.link_rate(), reach + 1);
  }
  site.add_top(nodes, reach + 1);
}

SiteTiers site_tiers(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  SiteTiers site(spec, size);
  if (spec.kind == FabricKind::fat_tree) {
    add_fat_tree(site, spec, size, ports);
  } else if (size.nics_per_node == 0) {
    return site;
  } else if (spec.kind == FabricKind::dragonfly) {
    add_dragonfly(site, spec, size.nics_per_node);
  } else if (spec.kind == FabricKind::dragonfly_plus) {
    add_dragonfly_plus(site, spec, size.nics_per_node);
  } else if (spec.kind == FabricKind::hyperx) {
    add_hyperx(site, spec, size.nics_per_node);
  } else {
    check_torus_sides(spec.torus.value(), size.nodes);
    add_torus(site, *spec.torus);
  }
  return site;
}

/// Keeps the tiers that divide a site, and puts the site on top of them, then all sites.
void join_sites(SiteTiers& site, const FabricSpec& spec, const NetworkSize& size) {
  const SitesSpec& sites = *spec.sites;
  const int in_site = size.nodes * size.accelerators_per_node;
  Seconds across = site.tiers.back().turn_latency;
  for (auto tier = site.tiers.rbegin(); tier != site.tiers.rend(); ++tier)
    if (tier->accelerators >= in_site) across = tier->turn_latency;
  std::erase_if(site.tiers, [&](const FabricTiers::Tier& tier) {
    return tier.accelerators >= in_site || in_site % tier.accelerators != 0;
  });
  site.add("site", size.nodes, (sites.count - 1) * sites.rate, 1);
  site.tiers.back().turn_latency = across;
  const Seconds between = (2 * site.to_border + 2) * spec.hop_latency.value + sites.latency.value;
  const double half = sites.count / 2;
  if (sites.count > 2 && sites.count % 2 == 0) {
    site.add("half", static_cast<long long>(size.nodes) * sites.count / 2, half * half * sites.rate, 1);
    site.tiers.back().turn_latency = between;
  }
  site.add_top(static_cast<long long>(size.nodes) * sites.count, 1);
  site.tiers.back().turn_latency = between;
}

}  // namespace

FabricTiers make_fabric_tiers(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports) {
  const NetworkSize one_site = site_size(spec, size);
  SiteTiers site = site_tiers(spec, one_site, ports);
  if (spec.sites && !site.tiers.empty()) join_sites(site, spec, one_site);
  return FabricTiers(std::move(site.tiers), spec.hop_latency.value);
}

}  // namespace clusterwright
