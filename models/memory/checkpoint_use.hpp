// SPDX-License-Identifier: Apache-2.0
/// Checkpoints: bytes that ranks write, and the time that a job loses to them.
#pragma once

#include <string>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Bytes that the rank at (`data`, `stage`) writes. Holders of the first copy write shards, the first replica writes
/// tensors that all replicas hold. Written are weights and three 32-bit states; under FSDP only states, which hold the
/// weights; with adapters only adapters.
/// @param data  RankCoordinates::data
Bytes checkpoint_of_rank(const PlannedJob& planned, int stage, int data);

/// Size and time of a checkpoint. It is not part of a predicted step, as one is written in many steps.
struct CheckpointUse {
  int every_steps = 0;
  Bytes bytes;         ///< bytes of the whole job
  Seconds write;       ///< time until all of it is in the store
  Seconds stall;       ///< time that training loses to one checkpoint
  std::string limits;  ///< bottleneck of the write: "file system", "host storage", "host link", "network"
  /// Time for which a write beside training keeps the busiest link of the training's network busy, which is how much
  /// longer steps meanwhile may take, all together. Zero where training waits, or files travel elsewhere.
  Seconds contended;
  Seconds per_step() const { return stall / every_steps; }
};

/// Load of a checkpoint of the whole job on the file system.
struct CheckpointSource {
  Bytes bytes;         ///< bytes of all hosts
  Seconds hand_over;   ///< time of the slowest host with an infinitely fast file system
  std::string limits;  ///< its bottleneck: "host link", "host memory", "host storage", "network"
};

/// Load of one checkpoint, also of a job that does not state that it writes any.
CheckpointSource checkpoint_source(const Scenario& scenario, const Plan& plan);

/// Time of a checkpoint: device to host, then host to store, all hosts at once, at the slowest rate on the way. Where
/// the file servers are on the network, every rank sends its part to all of them, and the busiest link counts too.
///
/// A synchronous write stalls training for its whole length. An asynchronous one stalls it for the copy to host memory,
/// and for what the write takes beyond the steps up to the next checkpoint.
/// @pre scenario.job.input->checkpoint
/// @param step  time of a step without checkpoint
CheckpointUse checkpoint_use(const Scenario& scenario, const Plan& plan, Seconds step);

}  // namespace clusterwright
