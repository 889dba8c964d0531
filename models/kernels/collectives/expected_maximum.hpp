// SPDX-License-Identifier: Apache-2.0
/// The largest of many random counts.
#pragma once

#include <vector>

namespace clusterwright {

/// Independent counts that are alike.
struct CountKind {
  double mean = 0;
  double variance = 0;
  int counts = 1;
};

/// Expected value of the largest one.
///
/// Each count is taken as normal with the skewness of a binomial of that mean and variance, (2 variance / mean - 1) /
/// sd, in the second order of Cornish and Fisher: mean + sd (z + skewness (z^2 - 1) / 6). The integral of 1 - product
/// of the distribution functions is taken by the trapezoidal rule.
/// @return 0 for no counts
double expected_maximum(const std::vector<CountKind>& kinds);

}  // namespace clusterwright
