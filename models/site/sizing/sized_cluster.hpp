/// From a cluster, with or without a job, to what has to be bought, placed, fed, cooled and paid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"
#include "models/site/money/cost_report.hpp"
#include "models/site/plant/site_plan.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// What the file system has to carry, and what the appliances that were picked can.
struct StorageSizing {
  std::string part;
  long long appliances = 0;
  BytesPerSecond read_needed, write_needed, read_given, write_given;
  Bytes capacity_needed, capacity_given;
  std::optional<Bytes> checkpoint;          ///< of the job, whole
  std::optional<Seconds> checkpoint_time;   ///< to write one
  std::optional<Bytes> host_memory_needed;  ///< of one node by the job
  std::optional<Bytes> host_memory;         ///< of one node
  std::string bound;                        ///< what sets the number of appliances: "read", "write", "capacity"
};

struct SizedCluster {
  std::string name;  ///< of the cluster
  std::string accelerator;
  SitePlan plan;
  std::optional<StepPrediction> step;  ///< of the job, where one is given
  std::optional<StorageSizing> storage;
  CostReport cost;
};

struct PriceList;  // models/job/price_list.hpp
struct Scenario;   // models/job/scenario.hpp

struct SizingRequest {
  const Cluster& cluster;
  const Catalog& catalog;
  const Facility& facility;
  const PriceList& prices;
  const Scenario* scenario = nullptr;  ///< with the job, on the same cluster; none: typical power, no tokens
};

/// What a node draws without a job: the catalog's typical power, else the measured share of its rating, without the
/// fans that liquid spares. @throws ConfigError E0350
NodePower typical_node_power(const Cluster& cluster, const Catalog& catalog, const CoolingSpec& cooling);

/// @throws ConfigError for parts that the catalog lacks, or that lack what a plan needs (height, mass, power)
SizedCluster size_cluster(const SizingRequest& request);

}  // namespace clusterwright
