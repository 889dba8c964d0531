// SPDX-License-Identifier: Apache-2.0
/// Settled step, with the lead of its loader.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/step_what_ifs.hpp"

namespace clusterwright {

/// Step of the plan with the number of micro-batches that are ready when it starts.
///
/// Steps follow each other, and one is replayed. A cut of the sequence can only lengthen the step, so the number of
/// ready micro-batches with the shortest step is nearest to the truth: all prefetched ones if the loader keeps up, few
/// if each is used as soon as it is there.
/// @param plan  gets `ready_micro_batches` if fewer are ready than are prefetched
/// @param of_interest  as for summarise_step
StepSummary settle_input(const Scenario& scenario, Plan& plan, Picoseconds of_interest = any_end);

}  // namespace clusterwright
