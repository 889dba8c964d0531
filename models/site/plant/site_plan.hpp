// SPDX-License-Identifier: Apache-2.0
/// Site of a cluster: racks and floor, cables, power and cooling.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/bill_of_materials.hpp"
#include "models/site/plant/cable_plan.hpp"
#include "models/site/plant/facility_power.hpp"
#include "models/site/plant/floor_plan.hpp"
#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/scale_up_check.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp
struct Cluster;  // topology/cluster/cluster.hpp

/// Extremes of a replayed step.
struct PowerSwing {
  Watts peak;           ///< largest instant
  Watts crest, trough;  ///< most and least behind power supplies, which smooth over tens of milliseconds
};

/// Power of one node. Everything but nodes and switches draws its rating.
struct NodePower {
  Watts rated;      ///< what racks, feeds and cooling are planned for: the nameplate, less what power limits take
  Watts nameplate;  ///< without power limits
  Watts mean;       ///< mean of a step; without a job the typical power
  std::optional<PowerSwing> swing;              ///< absent without a job
  Watts accelerators_rated, accelerators_mean;  ///< part of `rated` and `mean` that accelerators draw
  std::string source;                           ///< "replayed step", or the source of the typical power
};

struct SitePlan {
  int accelerators = 0;  ///< working accelerators, without spares
  int nodes = 0;         ///< working nodes, without spares
  int spare_nodes = 0;
  NodePower node;
  std::string node_part;
  FloorPlan floor;
  std::vector<SwitchTotal> switches;
  std::vector<CableTotal> cables;  ///< totals by CableTotalId
  std::vector<TransceiverTotal> transceivers;
  std::vector<DeviceKind> device_kinds;
  IndexedVector<DeviceId, PlacedDevice> devices;
  std::vector<CableRun> runs;      ///< filled only with SiteRequest::keep_runs
  std::vector<CablePiece> pieces;  ///< filled only with SiteRequest::keep_runs
  std::optional<ScaleUpCheck> scale_up;
  std::vector<PowerStageLoad> power_stages;
  RackFeeds feeds;
  FacilityPower rated;  ///< everything at its nameplate on the design day, accelerators at their power limits
  FacilityPower mean;   ///< mean of a step in the mean of a year
  std::optional<FacilityPower> peak, crest;  ///< of a step, on the design day; absent without a job
  std::optional<FacilityPower> hot_mean;     ///< mean of a step, on the design day; absent without a job
  std::optional<PowerChain> chain;           ///< of the rated site; refers to parts of the catalog
  CoolingLoad cooling;
  Kilograms mass;
  BillOfMaterials bill;
  std::vector<SiteVerdict> verdicts;  ///< failing ones first
  std::vector<std::string> warnings;
  std::vector<std::string> uncounted;  ///< things to buy that have no part in the plan

  bool holds() const {
    for (const SiteVerdict& verdict : verdicts)
      if (!verdict.holds) return false;
    return true;
  }
};

struct SiteRequest {
  const Cluster& cluster;
  const Catalog& catalog;
  const Facility& facility;
  NodePower node;          ///< power of a node; `rated` is filled in from the catalog
  int appliances = 0;      ///< appliances of the facility's storage
  bool keep_runs = false;  ///< keep the route of every cable
};

/// Plan of a site. Constraints that do not hold are verdicts of the plan, not errors.
/// @throws ConfigError E0350 for nodes or switches that cannot be placed, E0306 for networks that cannot be built
SitePlan plan_site(const SiteRequest& request);

}  // namespace clusterwright
