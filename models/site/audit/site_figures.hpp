/// Power and cooling of the racks and the site that a blueprint describes.
#pragma once

#include <string>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/blueprint.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

/// What an audit takes from the planned site. Racks hold what the blueprint says, whatever they can carry.
struct SiteFigures {
  int nodes = 0;
  int nodes_per_rack = 0;
  int racks = 0;
  Watts node_rated;  ///< nameplate
  Watts node_mean;   ///< over the predicted step
  Watts node_other;  ///< of that, what is not its accelerators
  std::string node_part;
  Watts it_rated, it_mean;  ///< of all machines: nodes, switches, storage, services
  double pue = 1;           ///< mean of a year
  Watts site_rated;         ///< from the grid: rated machines at that PUE
  Watts site_hottest;       ///< rated machines on the design day
  Watts site_mean;

  Watts rack_rated() const { return node_rated * nodes_per_rack; }
  Watts rack_mean() const { return node_mean * nodes_per_rack; }
};

/// @param step  on the accelerators that the layout uses
SiteFigures site_figures(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog,
                         const Facility& facility, const StepPrediction& step);

}  // namespace clusterwright
