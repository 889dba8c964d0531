// SPDX-License-Identifier: Apache-2.0
/// Decides the fields of a plan that the user left open.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

struct ResolvedPlan {
  Plan plan;
  std::vector<Assumption> assumptions;  ///< decisions on fields that were "auto", one each
};

/// Whether a step of so many micro-batches is not too long to simulate.
bool is_short_enough(int micro_batches, std::int64_t layers);

/// Tensor degree where the job states none: all ranks of a node, or the most that divide them, the heads and the MLP.
int usual_tensor(const Scenario& scenario);

/// Checks what holds under any layout: task, transformer, kinds of nodes. @throws ConfigError E0310, E0312, E0313,
/// E0324, E0329
void check_any_layout(const Scenario& scenario);

/// Checks fields of a job that contradict each other whatever its degrees are. @throws ConfigError as check_any_layout
void check_stated(const Scenario& scenario);

/// Decides fields that are "auto". Recomputation depends on memory, so an open one stays "none" here.
///
/// @throws ConfigError E0310 a degree does not divide what it splits, or layers of stages do not add up, E0311 the
///         degrees do not multiply to the accelerators, E0312 the batch does not divide, E0313 not modelled yet,
///         E0327 and E0328 what the job reads or writes (store_check.hpp),
///         E0502 more micro-batches and layers than can be simulated
ResolvedPlan resolve_plan(const Scenario& scenario);

}  // namespace clusterwright
