// SPDX-License-Identifier: Apache-2.0
/// Site of a job: the hall around its cluster, planned with the power that the job draws.
#pragma once

#include <optional>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/sizing/storage_sizing.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct DecidedPlan;   // models/search/best_plan.hpp
struct GivenPlan;     // models/prediction/predict_step.hpp
struct SearchEffort;  // models/search/best_plan.hpp
struct SizedCluster;  // models/site/sizing/sized_cluster.hpp

/// Prediction of a job and the hall around it.
struct SitedStep {
  Scenario scenario;  ///< with the hosts that the hall cools
  StepPrediction step;
  SitePlan plan;
  Facility facility;
};

/// Cluster in its hall; all outlive it.
struct SiteParts {
  const Cluster& cluster;
  const Catalog& catalog;  ///< with the cluster's own parts
  const Facility& facility;
  bool every_cable = false;  ///< the plan keeps the route of every cable
};

struct PlannedSite {
  SitePlan plan;
  std::optional<StorageSizing> storage;  ///< absent where the facility has none
};

/// Power of a node without a job: the catalog's typical power, else the measured share of its rating, less the fans
/// that liquid cooling removes. @throws ConfigError E0350
NodePower typical_node_power(const SiteParts& parts);

/// Power of a node over a step that was predicted in this hall.
NodePower replayed_node_power(const SiteParts& parts, const StepPrediction& step);

/// Scenario whose hosts draw what they draw with the cooling of the hall. @throws ConfigError E0350
Scenario cooled_in_hall(const Scenario& scenario, const SiteParts& parts);

/// Plan with storage for the job. @param step  prediction of `scenario`, cooled in the hall; null without a job
/// @throws ConfigError as plan_site and size_storage
PlannedSite plan_job_site(const SiteParts& parts, const NodePower& node, const Scenario* scenario,
                          const StepPrediction* step);

/// @pre plan.crest && plan.peak
SitePower site_power(const SitePlan& plan);

/// Hall of a scenario, for commands that predict steps.
class JobSite {
 public:
  /// @throws ConfigError for a facility that does not exist or contradicts itself
  JobSite(const Scenario& scenario, std::vector<InputFile>& inputs);

  /// Scenario in the form of `Scenario::source`, with its facility complete if it gives one.
  void complete(JsonValue& scenario) const;

  /// Values of the scenario and of its facility as they are used, with the places that give them.
  std::vector<Origin> origins(const Scenario& scenario) const;

  /// Prediction with the power of the whole site, or with the reason why it cannot be planned.
  /// @param scenario  the same, or on another number of accelerators; its size may choose another hall
  /// @throws ConfigError as predict_step
  StepPrediction predict(const Scenario& scenario) const;

  /// Prediction and plan. @throws ConfigError also where the site cannot be planned
  SitedStep plan(const Scenario& scenario) const;

  /// The whole site, priced. @param scenario  as for predict @throws ConfigError as size_cluster
  SizedCluster size(const Scenario& scenario, const PriceList& prices) const;

  /// The layout with the shortest step, with its power in this hall, where the scenario leaves fields open.
  /// @throws ConfigError as decide_plan and cooled_in_hall
  DecidedPlan decide(const Scenario& scenario, const SearchEffort& effort) const;

  /// The whole site of a plan, priced. @param scenario  that the plan was decided for @throws ConfigError as above
  SizedCluster size(const Scenario& scenario, const PriceList& prices, const GivenPlan& given) const;

  const Catalog& catalog() const { return catalog_; }

 private:
  Catalog catalog_;
  Facility facility_;
};

}  // namespace clusterwright
