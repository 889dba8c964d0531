// SPDX-License-Identifier: Apache-2.0
/// Error of a step by the standard errors of the fitted parameters of its kernels, links and power.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

/// One fitted number of a scenario, in the unit of its key.
struct FittedNumber {
  std::string section;  ///< "gemm/bf16"
  std::string name;     ///< "gemm/bf16/efficiency"
  double value = 0;
  double std_error = 0;
  std::function<void(double)> set;  ///< writes the number into the scenario
};

/// All numbers of the parameter set and the casts of the step calibration that have a standard error.
std::vector<FittedNumber> fitted_numbers(Scenario& scenario);

/// Change of the logarithm of the step time by one standard error of each number that moves it, by name.
/// @param step  plan and breakdown of the step
std::map<std::string, double> parameter_errors(const Scenario& scenario, const StepPrediction& step);

}  // namespace clusterwright
