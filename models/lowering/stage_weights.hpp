// SPDX-License-Identifier: Apache-2.0
/// Weights of one rank of a stage, in the buckets in which they travel.
#pragma once

#include <vector>

#include "models/memory/parameter_memory.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Consecutive layers of a chunk whose weights travel together.
struct WeightBucket {
  int first_layer = 0;
  int layers = 0;
  RankParameters weights;  ///< parameters of the layers on this rank
  double root = 0;         ///< parameters of embedding, head and last norm
  RankParameters trained;  ///< parameters with gradients
};

struct StageWeights {
  std::vector<std::vector<WeightBucket>> chunks;  ///< buckets by chunk
  RankParameters trained;                         ///< parameters with gradients on this rank
  double root = 0;                                ///< parameters of embedding, head and last norm
  double trained_root = 0;
  double trained_routed = 0;  ///< trained experts of the layers that predict further tokens
};

StageWeights stage_weights(const PlannedJob& planned, int stage);

}  // namespace clusterwright
