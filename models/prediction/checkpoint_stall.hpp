/// Weights and optimizer states that a job writes once in a while, and the time that it loses to them.
#pragma once

#include "models/plan/planned_job.hpp"
#include "models/job/scenario.hpp"

namespace clusterwright {

/// What the rank at (`data`, `stage`) writes. Shards by those who hold them, first copy of each; what every replica
/// holds by the first. Weights and three 32-bit states; of FSDP states only, which are the weights; of adapters only
/// these.
/// @param data  as RankCoordinates count it
Bytes checkpoint_of_rank(const MemoryCase& c, int stage, int data);

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
