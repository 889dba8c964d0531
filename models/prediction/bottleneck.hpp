// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// What costs most apart from useful matrix work, and what to change first: "pipeline bubble (9 %): ...".
std::string name_bottleneck(const StepPrediction& step);

}  // namespace clusterwright
