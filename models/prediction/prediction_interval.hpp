// SPDX-License-Identifier: Apache-2.0
/// Error of a predicted step, alone and against another one.
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

/// Key that is equal for steps that differ in layout, batch and number of accelerators only: two releases of a stack
/// are two works.
std::string work_key(const Scenario& scenario);

/// Key that is equal for steps that differ in replicas and batch only: model, sequence, layout, formats, stack and
/// accelerator.
std::string job_key(const Scenario& scenario, const Plan& plan);

/// Key that is equal for steps of one job, layout, batch and number of accelerators of one kind: what differs is the
/// network, a power limit, the host or the hall.
std::string twin_key(const Scenario& scenario, const StepPrediction& step);

/// Standard deviation of log(time of a / time of b), in which common causes cancel.
double sigma_of_ratio(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration);

/// Probability that a step is the faster one of two. @param ahead  log(its rate / rate of the other), of which `sigma`
/// is the standard deviation. The error has the shape of Student's t with the 90 % interval of a normal one.
double probability_ahead(double ahead, double sigma);

/// Probability that `a` is the faster one, by tokens per second and accelerator.
double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration);

}  // namespace clusterwright
