// SPDX-License-Identifier: Apache-2.0
/// Prediction of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"

namespace clusterwright {

/// Prediction of one step on the scenario's cluster. @param open  who decides what the job leaves open
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario, OpenFields open = OpenFields::best);

}  // namespace clusterwright
