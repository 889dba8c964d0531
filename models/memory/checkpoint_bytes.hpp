// SPDX-License-Identifier: Apache-2.0
/// Bytes that one rank writes to a checkpoint.
#pragma once

#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// What the rank at (`data`, `stage`) writes. Shards by those who hold them, first copy of each; what every replica
/// holds by the first. Weights and three 32-bit states; of FSDP states only, which are the weights; of adapters only
/// these.
/// @param data  as RankCoordinates count it
Bytes checkpoint_of_rank(const PlannedJob& planned, int stage, int data);

}  // namespace clusterwright
