// SPDX-License-Identifier: Apache-2.0
/// Error of a predicted step against another one.
#pragma once

#include "models/job/step_calibration.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Standard deviation of log(time of a / time of b), in which common causes cancel.
double sigma_of_ratio(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration);

/// Probability that a step is the faster one of two. @param ahead  log(its rate / rate of the other), of which `sigma`
/// is the standard deviation. The error has the shape of Student's t with the 90 % interval of a normal one.
double probability_ahead(double ahead, double sigma);

/// Probability that `a` is the faster one, by tokens per second and accelerator.
double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration);

}  // namespace clusterwright
