// SPDX-License-Identifier: Apache-2.0
/// Verdicts on a planned site: what its power, cooling and racks cannot do.
#pragma once

#include <vector>

#include "models/site/plant/site_verdict.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct Catalog;        // topology/parts/catalog.hpp
struct ComputeBlock;   // models/site/plant/devices.hpp
struct CoolingParts;   // models/site/plant/heat_removal.hpp
struct Facility;       // topology/cluster/facility_spec.hpp
struct FacilityPower;  // models/site/plant/facility_power.hpp
struct NodePart;       // topology/parts/parts.hpp
struct SitePlan;       // models/site/plant/site_plan.hpp

/// Plan that gets the verdicts, and what it was made from.
struct JudgedPlant {
  SitePlan& plan;
  const Facility& facility;
  const Catalog& catalog;
  const CoolingParts& cooling;
  const ComputeBlock& block;
};

/// Verdicts on whether the cooling of racks suits nodes of a kind: that they are sold with it, and take in its air.
std::vector<SiteVerdict> node_cooling_verdicts(const NodePart& node, const CoolingParts& cooling,
                                               const Catalog& catalog);

/// Verdict on the loss of one independent path above the circuits of a rack, and with it of all its circuits.
void judge_paths(SitePlan& plan, const Facility& facility, Watts rack);

/// Verdicts on cooling, pumps, grid and stated PUEs.
/// @param mean, hottest  modelled power, without stated PUEs
void judge_plant(const JudgedPlant& judged, const FacilityPower& mean, const FacilityPower& hottest);

/// Verdicts on nodes: their number in a rack, their power and their cooling.
void judge_machines(const JudgedPlant& judged);

}  // namespace clusterwright
