#include "models/site/audit/site_figures.hpp"

#include "models/prediction/prediction.hpp"
#include "models/site/plant/plan_site.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "models/site/sizing/storage_sizing.hpp"

namespace clusterwright {

namespace {

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

int appliances(const Scenario& scenario, const Catalog& catalog, const Facility& facility) {
  const auto& need = facility.services.storage;
  if (!need) return 0;
  const StoragePart& part = *find_part(catalog.storage_systems, need->part);
  const StorageRequest request{*need, part, scenario.cluster.nodes(), std::nullopt, nullptr, nullptr};
  return static_cast<int>(size_storage(request).appliances);
}

}  // namespace

SiteFigures site_figures(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog,
                         const Facility& facility, const StepPrediction& step) {
  const Cluster& cluster = scenario.cluster;
  SiteFigures site;
  site.nodes = cluster.nodes();
  site.nodes_per_rack = facility.rack.nodes.value_or(ceil_div(site.nodes, blueprint.racks.value_or(site.nodes)));
  site.racks = blueprint.racks.value_or(ceil_div(site.nodes, site.nodes_per_rack));

  NodePower node = typical_node_power(cluster, catalog, facility.cooling);
  const Watts replayed = step.power.it_mean * cluster.node_accelerators / step.accelerators;
  site.node_other = cluster.spec.node.host_power.value;
  node.mean = node.peak = node.trough = replayed;
  node.accelerators_mean = replayed - site.node_other;
  const SitePlan plan = plan_site({cluster, catalog, facility, node, appliances(scenario, catalog, facility), false});
  site.node_rated = plan.node.rated;
  site.node_mean = plan.node.mean;
  site.node_part = plan.node_part;
  site.it_rated = plan.rated.it;
  site.it_mean = plan.mean.it;
  site.pue = plan.mean.pue;
  site.site_rated = site.it_rated * site.pue;
  site.site_hottest = plan.rated.facility;
  site.site_mean = plan.mean.facility;
  return site;
}

}  // namespace clusterwright
