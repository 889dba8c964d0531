// SPDX-License-Identifier: Apache-2.0
/// Prediction of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"

namespace clusterwright {

/// Whether to look for the nearest change of a job that does not fit. It takes longer than its step.
enum class Remedy { sought, left_out };

/// Prediction of one step on the scenario's cluster.
/// @param open    who decides what the job leaves open
/// @param remedy  sought only where a search decides what is open
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario, OpenFields open = OpenFields::best,
                            Remedy remedy = Remedy::sought);

}  // namespace clusterwright
