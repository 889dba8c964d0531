// SPDX-License-Identifier: Apache-2.0
/// Longest step that can be simulated.
#pragma once

#include "sim/step_graph.hpp"

namespace clusterwright {

/// @throws ConfigError E0502 if the kernels and transfers of the step take too long
void check_length(const StepStructure& structure, const StepTiming& timing);

}  // namespace clusterwright
