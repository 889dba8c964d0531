// SPDX-License-Identifier: Apache-2.0
/// The constant baseline with rows held out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/step_problem.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// Errors log(predicted / measured) of rows under one rate per accelerator and precision, fitted to the rows of all
/// other groups. Without such rows the rate is the data-sheet peak times the median share of it that others reach in
/// the same precision, else in any.
/// @pre every row has a valid result with a step
std::vector<double> held_out_constants(const std::vector<StepRow>& rows, const std::vector<CaseResult>& results,
                                       const std::function<std::string(const StepRow&)>& group_of);

}  // namespace clusterwright
