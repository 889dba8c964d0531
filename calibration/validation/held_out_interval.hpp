// SPDX-License-Identifier: Apache-2.0
/// Interval that a held-out step would have had: what the rest of the rows does not contain counts as unmeasured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/step_fit.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// Half-width of the 90 % interval of each row, on the logarithm of its time. Stacks, accelerators, architectures,
/// vendors, sizes, sequences and releases that no row outside its group has are unmeasured; residuals stay those of all
/// rows. Rows that are never held out have the interval of all rows.
/// @param steps         predictions of the rows
/// @param calibrations  with the covariance without each group, by its name
std::vector<double> held_out_half_widths(const std::vector<StepRow>& rows, const std::vector<StepPrediction>& steps,
                                         const StepGroups& groups,
                                         const std::map<std::string, StepCalibration>& calibrations);

}  // namespace clusterwright
