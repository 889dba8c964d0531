/// How many appliances of the shared file system a cluster and its job need.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

struct StorageRequest {
  const StorageNeedSpec& need;
  const StoragePart& part;
  int nodes = 0;                     ///< that read and write at once
  std::optional<Bytes> host_memory;  ///< of one node, passed on
  const Scenario* scenario = nullptr;
  const StepPrediction* step = nullptr;  ///< of that scenario; without both no checkpoint is counted
};

/// The most that reading, writing and keeping ask for, in whole appliances. Writing carries a checkpoint within
/// `checkpoint_time`, keeping holds `checkpoints` of them. A checkpoint takes no less than its hosts need to hand it
/// over, however many appliances there are.
/// @throws ConfigError E0501 for more appliances than anybody places
StorageSizing size_storage(const StorageRequest& request);

}  // namespace clusterwright
