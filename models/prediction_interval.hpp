#pragma once

#include "models/parameters.hpp"
#include "models/prediction.hpp"

namespace clusterwright {

/// Standard deviation of log(predicted/measured) of a step time: residuals of each fit, weighted by the share of the
/// step that rests on it, and the structural error that steps add to their parts.
double step_time_sigma(const StepPrediction& step, const ParameterSet& parameters);

/// 90 % of a normal distribution lie within this many standard deviations.
inline constexpr double half_width_90 = 1.645;

}  // namespace clusterwright
