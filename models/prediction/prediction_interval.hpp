// SPDX-License-Identifier: Apache-2.0
/// How far a predicted step may be off, alone and against another.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// From the covariance of the fitted factors, the residual of the nearest class of left-out steps (everything given, or
/// something assumed; a stack, accelerator or generation that was not fitted), the kernels' own residuals where they
/// were transferred, and the distance beyond what was fitted.
/// @param known  no field of the job had to be assumed
StepUncertainty step_uncertainty(const StepPrediction& step, const Scenario& scenario, bool known);

/// Equal for steps that differ in replicas and batch only: model, sequence, layout, formats, stack and accelerator.
std::string job_key(const Scenario& scenario, const Plan& plan);

/// Standard deviation of log(time of a / time of b): what both share cancels.
double sigma_of_ratio(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration);

/// Probability that `a` is the faster one, by tokens per second and accelerator.
double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration);

/// 90 % of a normal distribution lie within this many standard deviations.
inline constexpr double half_width_90 = 1.645;

}  // namespace clusterwright
