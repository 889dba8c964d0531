// SPDX-License-Identifier: Apache-2.0
/// Decides open fields of a job that depend on memory and time: pipeline stages, micro-batch, recomputation.
#pragma once

#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"

namespace clusterwright {

/// Chosen plan and the job that it belongs to.
struct ChosenPlan {
  Scenario scenario;  ///< scenario with every field of the job decided
  Plan plan;
  MemoryUse memory;
  std::vector<Assumption> assumptions;
};

/// Plan with the fewest pipeline stages that fit, the recomputation that users of the stack choose or the least that
/// fits, and the fastest micro-batch that fits. If nothing fits, the plan that needs least memory.
/// @throws ConfigError as resolve_plan
ChosenPlan choose_plan(const Scenario& scenario);

/// Memory of the fullest rank under a plan.
MemoryUse memory_under(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
