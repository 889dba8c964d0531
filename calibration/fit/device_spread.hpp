// SPDX-License-Identifier: Apache-2.0
/// Spread of the speed of devices that published steps on different numbers of them ask for.
///
/// The measured rate of a job falls with its size by more than replays of equal devices say. The spread is the number
/// that explains most of this: the weighted median, over pairs of steps of one job and layout, of the error that grew
/// from one size to the next, over the growth of z(N) times the share of computation (device_jitter.hpp). It is
/// reported and not applied: docs/decisions/0023-devices-of-unequal-speed.md.
#pragma once

#include <vector>

#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

/// @param rows    whose scenarios have no spread
/// @param slopes  of the same rows
/// @return with the standard error of a jackknife over stacks on accelerators; 0 where fewer than three have pairs
Sourced<double> fitted_spread(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes);

}  // namespace clusterwright
