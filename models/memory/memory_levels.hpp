// SPDX-License-Identifier: Apache-2.0
/// Memory beyond the accelerators: what a job keeps in that of hosts, in the pool and on drives, and whether it fits.
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

struct LevelBytes {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes checkpoint;  ///< copy of what is being written

  Bytes total() const { return weights + gradients + optimizer + activations + checkpoint; }
  LevelBytes& operator+=(const LevelBytes& other);
};

/// Of the node that holds most in host memory or on drives; of a pool, all of it.
struct LevelUse {
  MemoryLevel tier = MemoryLevel::host;
  LevelBytes bytes;
  std::optional<Bytes> capacity;  ///< absent: not known, and not checked
  bool fits() const { return !capacity || bytes.total() <= *capacity; }
};

/// What one rank of `stage` keeps in `tier`. With the optimizer on a host go gradients, which it reads there.
LevelBytes level_bytes_of_rank(const PlannedJob& planned, MemoryLevel tier, int stage);

/// Every tier that the job uses: the node that holds most of it, or the whole pool. Asynchronous checkpoints hold a
/// copy of what they write in host memory.
std::vector<LevelUse> level_uses(const Scenario& scenario, const Plan& plan);

/// The first tier that is too small, in a sentence that names it and what fills it; empty if all fit.
std::string tier_verdict(const std::vector<LevelUse>& uses);

}  // namespace clusterwright
