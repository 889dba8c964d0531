// SPDX-License-Identifier: Apache-2.0
/// Error of the ratio of two steps of one task on equal numbers of two accelerators, from pairs of published steps.
///
/// Variance of a pair = known + 2 machine^2. `machine` is the most likely one under Student's t
/// (models/prediction/ratio_error.hpp).
///
/// Example: ratios err by 8.0 % where errors of kernels and factors explain 5.0 %: machine is
/// sqrt((0.080^2 - 0.050^2) / 2) = 4.4 % of each step.
#pragma once

#include <vector>

namespace clusterwright {

struct MachineErrorPair {
  double error = 0;  ///< log: predicted ratio over the measured one
  double known = 0;  ///< variance of the ratio by all other causes
  double weight = 1;
};

/// @return 0 where there are fewer than three pairs
double fitted_machine_error(const std::vector<MachineErrorPair>& pairs);

}  // namespace clusterwright
