// SPDX-License-Identifier: Apache-2.0
/// Bytes that one rank writes to a checkpoint.
#pragma once

#include <string>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// What the rank at (`data`, `stage`) writes. Shards by those who hold them, first copy of each; what every replica
/// holds by the first. Weights and three 32-bit states; of FSDP states only, which are the weights; of adapters only
/// these.
/// @param data  as RankCoordinates count it
Bytes checkpoint_of_rank(const PlannedJob& planned, int stage, int data);

/// A checkpoint, and what it costs. Steps are predicted without: one of them is written in many.
struct CheckpointUse {
  int every_steps = 0;
  Bytes bytes;         ///< of the whole job
  Seconds write;       ///< until all of it is in the store
  Seconds stall;       ///< that training loses to one checkpoint
  std::string limits;  ///< what sets the time of the write: "file system", "host storage", "host link"
  Seconds per_step() const { return stall / every_steps; }
};

/// What a checkpoint of the whole job asks of the file system.
struct CheckpointSource {
  Bytes bytes;         ///< of all hosts
  Seconds hand_over;   ///< that the slowest host takes, were the file system endlessly fast
  std::string limits;  ///< what sets that time: "host link", "host memory", "host storage"
};

/// Whether or not the job says that it writes checkpoints.
CheckpointSource checkpoint_source(const Scenario& scenario, const Plan& plan);

/// Device to host, host to store, all hosts at once, each as fast as the narrowest of what it crosses.
///
/// A synchronous write stalls training for its whole length. An asynchronous one stalls it for the copy to host memory,
/// and for what the write takes beyond the steps up to the next checkpoint.
/// @pre scenario.job.input->checkpoint
/// @param step  time of a step without checkpoint
CheckpointUse checkpoint_use(const Scenario& scenario, const Plan& plan, Seconds step);

}  // namespace clusterwright
