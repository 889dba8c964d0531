// SPDX-License-Identifier: Apache-2.0
/// Memory beyond the accelerators: bytes of a job in hosts, in the pool and on drives, and whether they fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/job.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/planned_job.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Bytes in one level of memory, by kind.
struct LevelBytes {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes checkpoint;  ///< copy of a checkpoint that is being written

  Bytes total() const { return weights + gradients + optimizer + activations + checkpoint; }
  LevelBytes& operator+=(const LevelBytes& other);
};

/// Use of one level: that of the fullest node for host memory and drives, the whole of a pool.
struct LevelUse {
  MemoryLevel level = MemoryLevel::host;
  LevelBytes bytes;
  std::optional<Bytes> capacity;  ///< absent: not known and not checked
  bool fits() const { return !capacity || bytes.total() <= *capacity; }
};

/// Bytes that one rank of `stage` keeps in `level`. An optimizer on the host keeps its gradients there too.
LevelBytes level_bytes_of_rank(const PlannedJob& planned, MemoryLevel level, int stage);

/// Uses of all levels that the job uses. Asynchronous checkpoints hold a copy of their bytes in host memory.
std::vector<LevelUse> level_uses(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
