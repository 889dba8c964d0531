/// From a cluster and the facility around it to racks, cables, power and cooling.
#pragma once

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp
struct Cluster;  // topology/cluster/cluster.hpp

struct SiteRequest {
  const Cluster& cluster;
  const Catalog& catalog;
  const Facility& facility;
  NodePower node;          ///< what nodes draw; `rated` is filled in from the catalog
  int appliances = 0;      ///< of the facility's storage
  bool keep_runs = false;  ///< each cable, for those who check
};

/// A plan comes out also where constraints do not hold; its verdicts say so.
/// @throws ConfigError E0350 for nodes or switches that cannot be placed, E0306 for networks that cannot be built
SitePlan plan_site(const SiteRequest& request);

}  // namespace clusterwright
