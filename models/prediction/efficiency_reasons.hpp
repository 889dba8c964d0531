// SPDX-License-Identifier: Apache-2.0
/// Explanation of efficiencies above 1: what the first size of a curve does that a larger one does not.
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Efficiency up to which rounding of waves and batches is explanation enough.
inline constexpr double explained_above = 1.005;

/// Difference between the plans of two steps, from `first` to `step`: "full recomputation there, none here". If the
/// plans agree, the charge whose share fell most: "pipeline bubble 12 % there, 5 % here".
std::string why_more_efficient(const StepPrediction& first, const StepPrediction& step);

/// Gives every point whose efficiency is above `explained_above` a warning with the explanation.
void explain_efficiencies(ScaleCurve& curve);

}  // namespace clusterwright
