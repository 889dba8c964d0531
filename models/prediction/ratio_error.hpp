// SPDX-License-Identifier: Apache-2.0
/// Error of a predicted step against another one.
#pragma once

#include "models/job/step_calibration.hpp"
#include "models/prediction/prediction.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

/// Error of a predicted ratio of rates, rate of a over rate of b: standard deviations of its logarithm on either side.
struct RatioError {
  double slower = 0;  ///< where `a` comes out slower than predicted
  double faster = 0;  ///< where it comes out faster

  RatioError of_inverse() const { return {faster, slower}; }
};

/// Error of the ratio of two steps, in which common causes cancel. The larger one of two sizes of a job may lose what
/// no model has, so that its sides differ; those of all other ratios are equal.
RatioError ratio_error(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration);

/// Distance of the shares of two steps that are lost to communication, launches and waiting.
double lost_difference(const StepUncertainty& a, const StepUncertainty& b);

/// 90 % interval of a ratio. @param log_ratio  its logarithm as predicted
Interval<double> interval_around(double log_ratio, const RatioError& error);

/// Density of the logarithm of a ratio. @param beyond  measured less predicted @pre error has no side of 0
double ratio_density(double beyond, const RatioError& error);

/// Probability that `a` is the faster one. @param ahead  log(rate of a / rate of b) as predicted
double probability_ahead(double ahead, const RatioError& error);

/// Probability that `a` is the faster one, by tokens per second and accelerator.
double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration);

}  // namespace clusterwright
