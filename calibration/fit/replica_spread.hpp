// SPDX-License-Identifier: Apache-2.0
/// Spread of the speed of replicas that published steps on different numbers of them ask for.
///
/// The measured rate of a job falls with its size by more than replays of equal replicas say. The spread is the number
/// that explains most of this: the weighted median, over pairs of steps of one job and layout, of the error that grew
/// from one size to the next, over the growth of z(R) times the share of computation (replica_jitter.hpp). Levels of
/// steps take no part in it: docs/decisions/0024-noise-of-replicas.md.
#pragma once

#include <vector>

#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

/// @param rows    whose scenarios have no spread
/// @param slopes  of the same rows
/// @return with the standard error of a jackknife over stacks on accelerators; 0 where fewer than three have pairs
Sourced<double> fitted_spread(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes);

}  // namespace clusterwright
