// SPDX-License-Identifier: Apache-2.0
/// Means over the steps of groups of replicas that train apart and synchronise every H steps.
///
/// Both kinds of step are replayed: one in which groups only reduce their own gradients, and one that ends with their
/// synchronisation. Of H steps H - 1 are of the first kind.
///
/// Example: steps take 5 s, with the synchronisation 8 s. With H = 10 a step takes (9 x 5 + 8) / 10 = 5.3 s on average.
#pragma once

#include <optional>

#include "models/plan/plan.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// Plan of the steps without synchronisation, if some of the plan's are.
std::optional<Plan> local_plan(const Plan& plan);

/// @param local  step without synchronisation, @param last  the one that synchronises
StepTime mean_step(const StepTime& local, const StepTime& last, int steps);
StepSummary mean_step(const StepSummary& local, const StepSummary& last, int steps);

}  // namespace clusterwright
