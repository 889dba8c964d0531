/// Training steps predicted by fits that did not see them.
#pragma once

#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/held_out.hpp"

namespace clusterwright {

/// Leaves out whole models, sizes, accelerators, sources, stacks and generations in turn and fits the step calibration
/// to the rest, straightened around the committed one: slopes are shares of the step, so no step is simulated twice.
/// Accelerators are left out twice: with their steps, and with everything that was measured on them. A left-out
/// generation loses all its kernels too: it takes those transferred from the others, and its kernel tax from the line
/// through theirs. Both are judged by the interval that they would have got.
/// @param microbenchmarks  from which kernels are transferred
std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements,
                                              const std::vector<Measurement>& microbenchmarks,
                                              const ScenarioShelf& shelf);

}  // namespace clusterwright
