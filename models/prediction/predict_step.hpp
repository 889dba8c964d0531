// SPDX-License-Identifier: Apache-2.0
/// Prediction of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Prediction of one step on the scenario's cluster.
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario);

}  // namespace clusterwright
