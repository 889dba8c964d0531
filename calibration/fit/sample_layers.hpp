// SPDX-License-Identifier: Apache-2.0
/// Whole layers and small models that a GPU probe timed, predicted as the product predicts a step: lowered and
/// replayed. Nothing is fitted to them, so they say whether the pieces add up.
#pragma once

#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Sections "layer" and "model": multiplies, attention, kernels that move data, and the gap between any two.
/// Left out where the samples hold none, or the set lacks 16-bit multiplies or the kernel of attention that they ran.
std::vector<SectionFit> check_layers(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                     const ParameterSet& set);

/// One launch of a "layer" or "model" sample; where it was sustained, at the clock that power allows.
/// @pre the set holds its attention and bf16 multiplies
Seconds predicted_layers(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& set);

}  // namespace clusterwright
