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
  MemoryUse memory;  ///< of the rank that is fullest for its capacity
  std::vector<Assumption> assumptions;
  Bytes capacity = {};   ///< of the accelerator of that rank
  int fullest_kind = 0;  ///< kind of its node

  bool fits() const { return memory.total() <= capacity; }
  /// Whether it fits, or, of a job that ran, may fit.
  bool possible() const;
};

/// Sets the memory of a plan. @pre its scenario and plan are set
void set_memory(ChosenPlan& chosen);

/// Plan with the fewest pipeline stages that fit, the recomputation that users of the stack choose or the least that
/// fits, and the fastest micro-batch that fits. If nothing fits, the plan that needs least memory. A job that ran
/// needs no more recomputation and stages than the 90 % interval of its memory asks for: someone fitted it.
/// @throws ConfigError as resolve_plan
ChosenPlan choose_plan(const Scenario& scenario);

/// Memory of the fullest rank under a plan.
MemoryUse memory_under(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
