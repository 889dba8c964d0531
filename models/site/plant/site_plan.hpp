/// Where everything stands, how it is joined, fed and cooled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/bill_of_materials.hpp"
#include "models/site/plant/cable_plan.hpp"
#include "models/site/plant/facility_power.hpp"
#include "models/site/plant/floor_plan.hpp"
#include "models/site/plant/scale_up_check.hpp"

namespace clusterwright {

/// What nodes and switches draw; everything else draws what it is rated at.
struct NodePower {
  Watts rated;               ///< nameplate
  Watts mean, peak, trough;  ///< of one node over a step; all as the catalog's typical power without a job
  Watts accelerators_rated, accelerators_mean;  ///< of these, what the accelerators draw
  std::string source;                           ///< "replayed step", or where the typical power comes from
};

struct SitePlan {
  int accelerators = 0;  ///< working ones
  int nodes = 0;         ///< working ones
  int spare_nodes = 0;
  NodePower node;
  std::string node_part;
  FloorPlan floor;
  std::vector<SwitchTotal> switches;
  std::vector<CableTotal> cables;
  std::vector<TransceiverTotal> transceivers;
  std::vector<CableRun> runs;
  std::optional<ScaleUpCheck> scale_up;
  std::vector<PowerStageLoad> stages;
  RackFeeds feeds;
  FacilityPower rated;  ///< everything at its nameplate
  FacilityPower mean;
  FacilityPower peak;
  CoolingLoad cooling;
  Kilograms mass;
  BillOfMaterials bill;
  std::vector<SiteVerdict> verdicts;  ///< those that do not hold first
  std::vector<std::string> warnings;
  std::vector<std::string> uncounted;  ///< what would have to be bought too, and has no part

  bool holds() const {
    for (const SiteVerdict& verdict : verdicts)
      if (!verdict.holds) return false;
    return true;
  }
};

struct Catalog;  // topology/parts.hpp
struct Cluster;  // topology/cluster.hpp

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
