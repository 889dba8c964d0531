// SPDX-License-Identifier: Apache-2.0
/// What a job reads and writes beside computing, as users write it.
#pragma once

#include <optional>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/storage_spec.hpp"

namespace clusterwright {

/// The file system of the cluster, or the drives of each node.
enum class Store { file_system, local };

/// Training stops for the whole write, or only while states are copied to host memory.
enum class CheckpointMode { synchronous, asynchronous };

/// Weights and optimizer states, written once in so many steps.
struct CheckpointSpec {
  int every_steps = 0;
  CheckpointMode mode = CheckpointMode::synchronous;
  Store to = Store::file_system;
};
const Record<CheckpointSpec>& record(const CheckpointSpec*);

/// What is read and prepared for a step. One reader per data-parallel rank (and context rank) feeds its tensor group;
/// the last stage of a pipeline reads the same tokens once more, as labels.
struct InputSpec {
  std::optional<double> bytes_per_token;   ///< in the store
  std::optional<double> bytes_per_sample;  ///< instead of that
  Store from = Store::file_system;
  std::optional<double> tokens_per_core;        ///< per second; absent: nothing is prepared
  std::optional<double> cores_per_accelerator;  ///< that prepare data; the node's cores over its accelerators if absent
  std::optional<int> workers;                   ///< of one reader, one core each; as many as cores if absent
  int prefetch = 2;     ///< micro-batches that one reader holds ready or prepares ahead of their use
  StorageSpec storage;  ///< in place of the cluster's, where it says something
  std::optional<CheckpointSpec> checkpoint;
};
const Record<InputSpec>& record(const InputSpec*);

}  // namespace clusterwright
