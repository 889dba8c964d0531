// SPDX-License-Identifier: Apache-2.0
/// Prediction of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"

namespace clusterwright {

/// Whether to look for the nearest change of a job that does not fit. It takes longer than its step.
enum class Remedy { sought, left_out };

/// Whether to time a step with hashed flows too, where the fabric leaves that open: it widens the interval, and takes
/// as long as the times of the step.
enum class HashedFlows { timed, left_out };

/// Plan that is decided before the step is predicted.
struct GivenPlan {
  const DecidedPlan& decided;
  HashedFlows hashed = HashedFlows::timed;
};

/// Prediction of one step on the scenario's cluster.
/// @param open    who decides what the job leaves open
/// @param remedy  sought only where a search decides what is open
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario, OpenFields open = OpenFields::best,
                            Remedy remedy = Remedy::sought);

/// The same under a plan that was searched. Its step counts as replayed if hosts draw what they drew then.
/// @param scenario  of that plan, with every field decided
/// @throws ConfigError as above
StepPrediction predict_step(const Scenario& scenario, const GivenPlan& given);

}  // namespace clusterwright
