#include "models/audit/site_figures.hpp"

#include <fmt/format.h>

#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

const NodePart* node_part(const Cluster& cluster, const Catalog& catalog) {
  const std::string& id = cluster.spec.node.part;
  if (id.empty()) return nullptr;
  if (cluster.spec.parts)
    if (const NodePart* own = cluster.spec.parts->find_node(id)) return own;
  return catalog.find_node(id);
}

/// From the node's part; else built up from its accelerators and its host.
void set_node_power(SiteFigures& site, const Cluster& cluster, const Catalog& catalog) {
  site.node_other = cluster.spec.node.host_power.value;
  const NodePart* part = node_part(cluster, catalog);
  if (part && part->max_power) {
    site.node_rated = part->max_power->value;
    site.node_typical = part->typical_power ? part->typical_power->value : loaded_share_of_rating * site.node_rated;
    site.power_source = fmt::format("{} of the catalog", part->id);
    return;
  }
  const Watts accelerators = cluster.accelerator.power.value * cluster.node_accelerators;
  site.node_typical = site.node_other + accelerator_share_of_rating * accelerators;
  site.node_rated = site.node_typical / loaded_share_of_rating;
  site.power_source = "accelerators and host; no rating of the node is known";
}

}  // namespace

SiteFigures site_figures(const Blueprint& blueprint, const Cluster& cluster, const Catalog& catalog) {
  const FacilitySpec& facility = cluster.spec.facility;
  SiteFigures site;
  site.nodes = cluster.nodes();
  const auto ceil_div = [](int a, int b) { return (a + b - 1) / b; };
  site.nodes_per_rack = ceil_div(site.nodes, blueprint.racks.value_or(site.nodes));
  if (facility.rack && facility.rack->nodes) site.nodes_per_rack = *facility.rack->nodes;
  site.racks = blueprint.racks.value_or(ceil_div(site.nodes, site.nodes_per_rack));
  set_node_power(site, cluster, catalog);
  site.it_rated = site.nodes * site.node_rated * (1 + blueprint.assume.other_it_share.value);
  site.pue = facility.power_usage_effectiveness.value_or(blueprint.assume.power_usage_effectiveness.value);
  return site;
}

double coolant_l_per_min(const RackCoolingPart& part, Watts heat) {
  const double joules_per_litre = part.coolant_heat_j_per_l_k.value * part.coolant_rise_k.value;
  if (joules_per_litre <= 0) return 0;
  return part.liquid_share.value * heat.in(watt) / joules_per_litre * 60;
}

}  // namespace clusterwright
