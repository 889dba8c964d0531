// SPDX-License-Identifier: Apache-2.0
/// Nearest change of a job that makes it fit in memory.
#pragma once

#include <string>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// Sentence on the first change that fits, by predicted memory: "with job.recompute=full it fits: 71.2 of 80.0 GB, step
/// 9.1 s".
///
/// Single changes are tried in the order in which they disturb a job least: more recomputation, a smaller micro-batch,
/// experts over more ranks, more sharding, a plainer schedule, more tensor, pipeline and context ranks, offload. If
/// none fits, each of them is tried again beside full recomputation of micro-batches of one sequence. Values are
/// written as --set takes them.
/// @param scenario  job under `plan`, which does not fit
std::string nearest_change(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
