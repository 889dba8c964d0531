/// Judges the fits of collectives by what they did not see.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/held_out.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Fits without what is predicted, in the terms of the targets: a rank count, a sibling accelerator, a generation left
/// out; from 1 MB and below.
std::vector<LeftOutFigures> cross_validate_collectives(const std::vector<Measurement>& measurements,
                                                       const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
