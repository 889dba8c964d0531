// SPDX-License-Identifier: Apache-2.0
/// Nearest change of a job that makes it fit in memory.
#pragma once

#include <string>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// Sentence on the nearest change that fits: "with job.recompute=full it fits: 71.2 of 80.0 GB, step 9.1 s".
///
/// Each field of the layout is opened in turn, those first that disturb a job least: recomputation, micro-batch,
/// experts, sharding, schedule, tensor, pipeline and context ranks; then recomputation and micro-batch together, all
/// degrees, offload, and everything. The first search that finds a layout that fits ends it: that of the lowest bound
/// is named, with the step that `run` predicts. If none fits, the sentence names the layout that needs least memory.
/// Values are written as --set takes them.
/// @param scenario  job as it is stated; fields that it leaves open stay open
/// @param plan  plan of the job, which does not fit
std::string nearest_change(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
