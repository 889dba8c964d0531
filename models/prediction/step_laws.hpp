// SPDX-License-Identifier: Apache-2.0
/// Laws that a predicted step and a curve of steps must obey.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Time is positive and the sum of its causes; 0 < MFU <= 1; throughput and energy are those of time and power; trough
/// <= mean <= peak; the mean is at most the rating of the nodes, the peak at most that times the part's overshoot.
/// @throws LawBroken
void check_laws(const StepPrediction& step, const Scenario& scenario);

/// Efficiency and speed-up are those of the throughputs and lie inside their intervals.
/// @throws LawBroken
void check_laws(const ScaleCurve& curve);

}  // namespace clusterwright
