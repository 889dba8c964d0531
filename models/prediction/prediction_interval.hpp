// SPDX-License-Identifier: Apache-2.0
/// Error of a predicted step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

/// Uncertainty from the covariance of the fitted factors, the residual of the nearest class of held-out steps (fields
/// given or assumed; a stack, accelerator or generation that was not fitted), the residuals of generic kernel
/// parameters, and the distance beyond the fitted range.
/// @param known  no field of the job had to be assumed
StepUncertainty step_uncertainty(const StepPrediction& step, const Scenario& scenario, bool known);

/// Key that is equal for steps that differ in accelerator, layout, batch and number of accelerators only.
std::string task_key(const Scenario& scenario);

/// Key that is equal for steps that differ in layout, batch and number of accelerators only: two releases of a stack
/// are two works.
std::string work_key(const Scenario& scenario);

/// Key that is equal for steps that differ in replicas and batch only: model, sequence, layout, formats, stack and
/// accelerator.
std::string job_key(const Scenario& scenario, const Plan& plan);

/// Key that is equal for steps of one job, layout, batch and number of accelerators of one kind: what differs is the
/// network, a power limit, the host or the hall.
std::string twin_key(const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
