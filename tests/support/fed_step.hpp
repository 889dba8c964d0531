// SPDX-License-Identifier: Apache-2.0
/// Steps of jobs that state their input.
#pragma once

#include "models/plan/plan.hpp"
#include "models/settling/settle_input.hpp"
#include "models/settling/step_simulation.hpp"
#include "support/small_scenario.hpp"

namespace clusterwright::testing {

/// Step time with as many micro-batches ready at its start as its loader can keep.
inline Seconds fed_step_time(const Scenario& s, Folding folding = Folding::folded) {
  Plan plan = plan_of(s);
  settle_input(s, plan);
  return to_seconds(simulate_step(s, plan, folding).result.end);
}

}  // namespace clusterwright::testing
