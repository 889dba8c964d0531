// SPDX-License-Identifier: Apache-2.0
/// What a calibration says about the steps that its fit has seen.
#pragma once

#include <functional>
#include <vector>

#include "calibration/fit/step_rows.hpp"
#include "models/job/step_calibration.hpp"

namespace clusterwright {

/// Replaces accelerators, vendors, counts of steps, and the ranges of sizes, sequences and releases.
/// @param seen  whether the fit has seen a row
void publish_seen(const std::vector<StepRow>& rows, const std::function<bool(const StepRow&)>& seen,
                  StepCalibration& steps);

}  // namespace clusterwright
