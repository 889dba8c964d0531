// SPDX-License-Identifier: Apache-2.0
/// Prediction of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/step_simulation.hpp"

namespace clusterwright {

/// The plan's step, and the micro-batches that lie ready when it starts.
///
/// Steps follow each other; one is replayed. Cutting the sequence anywhere can only lengthen the step, so of all
/// numbers of micro-batches that may lie ready at the cut the one with the shortest step is nearest to the truth: all
/// that are prefetched if the loader keeps up, few if every one is used as soon as it is there.
/// @param plan  `ready_micro_batches` is set where fewer are ready than are prefetched
StepSummary settle_input(const Scenario& scenario, Plan& plan);

/// One step on the scenario's cluster.
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario);

}  // namespace clusterwright
