/// How many appliances of the shared file system a cluster and its job need.
#pragma once

#include <optional>
#include <string>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "topology/facility_parts.hpp"
#include "topology/facility_spec.hpp"

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
