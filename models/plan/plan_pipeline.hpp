// SPDX-License-Identifier: Apache-2.0
/// How the stages of a plan share layers and micro-batches.
#pragma once

#include "models/job/scenario_source.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"

namespace clusterwright {

/// Decides schedule, chunks and layers of the stages; reports what they contradict.
/// @pre degrees and micro-batches are decided
void decide_pipeline_schedule(Contradictions& errors, ResolvedPlan& out, const Scenario& s);

/// Whether the plan's schedule runs with so many micro-batches.
bool schedule_takes(const Plan& plan, int micro_batches);

}  // namespace clusterwright
