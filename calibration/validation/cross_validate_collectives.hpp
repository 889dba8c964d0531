// SPDX-License-Identifier: Apache-2.0
/// Cross-validation of the fits of collectives.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/held_out.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Errors with a rank count, an accelerator (its siblings remain) or a generation held out; from 1 MB and below.
std::vector<HeldOutFigures> cross_validate_collectives(const std::vector<Measurement>& measurements,
                                                       const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
