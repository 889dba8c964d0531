// SPDX-License-Identifier: Apache-2.0
/// Appliances of the shared file system that a cluster and its job need.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

/// Need that sets the number of appliances.
enum class StorageBound { none, read, write, capacity };
inline constexpr std::array<std::string_view, 4> storage_bound_names = {"", "read", "write", "capacity"};

struct StorageSizing {
  std::string part;
  long long appliances = 0;
  BytesPerSecond read_needed, write_needed, read_given, write_given;
  Bytes capacity_needed, capacity_given;
  std::optional<Bytes> checkpoint;          ///< size of one checkpoint of the whole job
  std::optional<Seconds> checkpoint_time;   ///< time to write one checkpoint
  std::optional<Bytes> host_memory_needed;  ///< host memory of one node that the job uses
  std::optional<Bytes> host_memory;         ///< host memory of one node
  StorageBound bound = StorageBound::none;

  std::string_view bound_name() const { return storage_bound_names[static_cast<std::size_t>(bound)]; }
};

struct StorageRequest {
  const StorageNeedSpec& need;
  const StoragePart& part;
  int nodes = 0;                     ///< nodes that read and write at the same time
  std::optional<Bytes> host_memory;  ///< host memory of one node, passed on
  const Scenario* scenario = nullptr;
  const StepPrediction* step = nullptr;  ///< prediction of that scenario; without both no checkpoint is counted
};

/// Whole appliances for the largest of the needs to read, to write and to keep. Writing includes one checkpoint within
/// `checkpoint_time`, keeping includes `checkpoints` of them. A checkpoint takes at least the time that its hosts need
/// to hand it over, however many appliances there are.
/// @throws ConfigError E0501 for more than 100,000 appliances
StorageSizing size_storage(const StorageRequest& request);

}  // namespace clusterwright
