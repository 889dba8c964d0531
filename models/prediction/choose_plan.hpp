// SPDX-License-Identifier: Apache-2.0
/// Decides what a job leaves open and only memory and time can answer: pipeline stages, micro-batch, recomputation.
#pragma once

#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"

namespace clusterwright {

struct ChosenPlan {
  Scenario scenario;  ///< with every field of the job decided
  Plan plan;
  MemoryUse memory;
  std::vector<Assumption> assumptions;
};

/// Pipeline stages: the fewest that fit. Recomputation: what users of the stack choose, or the least that fits.
/// Micro-batch: the fastest that fits. If nothing fits, the plan that needs least.
/// @throws ConfigError as resolve_plan
ChosenPlan choose_plan(const Scenario& scenario);

/// Memory of the fullest rank under a plan.
MemoryUse memory_under(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
