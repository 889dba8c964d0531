/// Training steps predicted by fits that did not see them.
#pragma once

#include <vector>

#include "calibration/measured_scenario.hpp"
#include "calibration/validation/left_out.hpp"

namespace clusterwright {

/// Leaves out whole models, sizes, accelerators, sources, stacks and generations in turn and fits the step calibration
/// to the rest, straightened around the committed one: slopes are shares of the step, so no step is simulated twice.
/// A left-out generation keeps its kernel parameters and gets the kernel tax of the one before it, or after it if it is
/// the first.
std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf);

}  // namespace clusterwright
