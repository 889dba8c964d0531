/// Everything that the checks of claims read, computed once.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/blueprint.hpp"
#include "topology/facility_spec.hpp"

namespace clusterwright {

/// Degrees of one replica, and how many replicas there is room for.
struct LayoutUse {
  int tensor = 1, pipeline = 1, context = 1;
  int accelerators = 0;  ///< there are
  int replicas = 0;      ///< that fill whole nodes together

  int replica() const { return tensor * pipeline * context; }
  int used() const { return replicas * replica(); }
  int idle() const { return accelerators - used(); }
};

/// @throws ConfigError E0362 if not even one replica fits, E0363 if the claim on the layout names other degrees than
/// the job
LayoutUse layout_use(const Scenario& scenario, const std::string& stated_layout);

/// Numbers of pipeline stages that leave nothing idle, with tensor and context groups as they are; the nearest to the
/// layout's first, of equally near ones the larger, which needs less memory.
std::vector<int> whole_pipelines(const LayoutUse& use, std::int64_t layers);

/// The scenario on the accelerators that its layout uses, with a batch that their replicas divide.
struct UsedScenario {
  Scenario scenario;
  std::vector<std::string> changes;  ///< "37 replicas on 1184 of 1200 accelerators"; empty: none
};
UsedScenario used_part(const Scenario& scenario, const LayoutUse& use);

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

struct AuditCase {
  /// @throws ConfigError as layout_use and predict_step
  AuditCase(const Blueprint& blueprint, const Scenario& scenario, const Catalog& catalog, const Facility& facility);

  const Blueprint& blueprint;
  const Scenario& scenario;  ///< as described
  const Catalog& catalog;
  LayoutUse layout;
  UsedScenario used;  ///< what of it the layout uses
  StepPrediction step;
  SiteFigures site;
  double parameters = 0;

  /// The number that the claim on `kind` states. @pre it is made, and by a number
  double stated(ClaimKind kind) const { return *blueprint.stated_number(kind); }
};

}  // namespace clusterwright
