// SPDX-License-Identifier: Apache-2.0
/// From what the user left open to a plan with every field decided.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

struct ResolvedPlan {
  Plan plan;
  std::vector<Assumption> assumptions;  ///< one per field that was "auto"
};

/// Decides what is "auto"; recomputation, which depends on memory, stays "none" here if it is open.
///
/// @throws ConfigError E0310 a degree does not divide what it splits or layers of stages do not add up, E0311 the
/// degrees do not multiply to the
///         accelerators, E0312 the batch does not divide, E0313 not modelled yet,
///         E0327 and E0328 what the job reads or writes (store_check.hpp),
///         E0502 more micro-batches and layers than can be simulated
ResolvedPlan resolve_plan(const Scenario& scenario);

}  // namespace clusterwright
