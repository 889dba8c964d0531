// SPDX-License-Identifier: Apache-2.0
/// Sentences on a job that runs on several sites, or in groups that train apart.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// Parallelism that crosses the lines between sites, the way of its gradients, and groups that train apart.
std::vector<std::string> site_remarks(const Scenario& scenario, const Plan& plan, const StepTime& step);

}  // namespace clusterwright
