// SPDX-License-Identifier: Apache-2.0
/// Advice on a predicted step that was tried: the same prediction under other layouts.
#pragma once

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

class JobSite;

/// Looks for faster layouts near that of a step that fits, and names the best in `layout_advice` and `bottleneck`, with
/// the step that `site` predicts under its settings.
/// @param scenario  of the step, as its job states it
/// @return false, and the step stays as it is, if it does not fit or its layout cannot be searched (is_searchable)
bool look_around(const JobSite& site, const Scenario& scenario, StepPrediction& step);

}  // namespace clusterwright
