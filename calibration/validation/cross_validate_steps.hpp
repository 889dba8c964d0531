// SPDX-License-Identifier: Apache-2.0
/// Cross-validation of the fit of training steps.
#pragma once

#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/held_out.hpp"

namespace clusterwright {

/// Errors of steps with whole models, sizes, accelerators, sources, stacks and generations held out in turn; with
/// all sizes above 512 accelerators held out; and each year of software from the years before it. The step
/// calibration is fitted to the rest, straightened around the committed one: slopes are shares of the step, so no step
/// is simulated twice.
///
/// Accelerators are held out twice: with their steps, and with everything that was measured on them. A held-out
/// generation loses its kernels too: it gets those of the others, and its kernel overhead from the line
/// through theirs. Both get the interval that a user of such a part would see.
/// @param microbenchmarks  rows that generic kernels are fitted to
std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements,
                                              const std::vector<Measurement>& microbenchmarks,
                                              const ScenarioShelf& shelf);

}  // namespace clusterwright
