// SPDX-License-Identifier: Apache-2.0
/// Everything that a cluster, with or without a job, needs to be bought, placed, powered, cooled and paid for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "models/site/sizing/run_cost.hpp"
#include "models/site/sizing/storage_sizing.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

struct GivenPlan;  // models/prediction/predict_step.hpp

struct SizedCluster {
  std::string name;  ///< name of the cluster
  std::string accelerator;
  SitePlan plan;
  std::optional<StepPrediction> step;  ///< none without a job
  std::optional<StorageSizing> storage;
  CostReport cost;
  std::optional<RunCost> run;  ///< absent unless the job fits and states its end
};

struct SizingRequest {
  const Cluster& cluster;
  const Catalog& catalog;
  const Facility& facility;
  const PriceList& prices;
  const Scenario* scenario = nullptr;  ///< job on the same cluster; null: typical power, no tokens
  bool every_cable = false;            ///< the plan keeps the route of every cable
  const GivenPlan* given = nullptr;    ///< plan of the scenario, if it was searched
};

/// Price of what is planned. @param step  prediction of a job that fits, for the price of tokens; null without one
CostReport price_plan(const SizingRequest& request, const SitePlan& plan, const StepPrediction* step);

/// @throws ConfigError for parts that the catalog lacks, or that lack what a plan needs (height, mass, power)
SizedCluster size_cluster(const SizingRequest& request);

}  // namespace clusterwright
