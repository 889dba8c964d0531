// SPDX-License-Identifier: Apache-2.0
/// Prediction of one job over cluster sizes.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// The scenario on another number of accelerators: replicas follow the size.
/// @param strong  as for predict_scale
Scenario scenario_at_size(const Scenario& scenario, int accelerators, bool strong);

/// Efficiency curve. Impossible sizes stay in the curve with their reason.
/// @param predict  prediction of the scenario at one size; called from any thread
/// @param strong  constant global batch; otherwise the batch per replica of the scenario's own size, until the global
/// batch
///                meets the limit of the job on its tokens
/// @param done    called after each point with the number of finished points, from any thread, one call at a time;
///                may be empty
/// @param stop    asked before each point; once it says yes, the curve ends with the points that were finished
ScaleCurve predict_scale(const Scenario& scenario, const std::vector<int>& accelerators, bool strong,
                         const std::function<void(std::size_t)>& done, const std::function<bool()>& stop,
                         const std::function<StepPrediction(const Scenario&)>& predict);

/// With predict_step.
ScaleCurve predict_scale(const Scenario& scenario, const std::vector<int>& accelerators, bool strong,
                         const std::function<void(std::size_t)>& done = {}, const std::function<bool()>& stop = {});

}  // namespace clusterwright
