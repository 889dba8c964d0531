// SPDX-License-Identifier: Apache-2.0
/// Schedule, chunks and layers of the pipeline stages of a plan.
#pragma once

#include "models/job/scenario_source.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"

namespace clusterwright {

/// Decides schedule, chunks and layers of the stages; reports contradictions.
/// @pre degrees and micro-batches are decided
void decide_pipeline_schedule(Contradictions& errors, ResolvedPlan& out, const Scenario& s);

/// Whether the plan's schedule runs with a number of micro-batches.
bool schedule_takes(const Plan& plan, int micro_batches);

}  // namespace clusterwright
