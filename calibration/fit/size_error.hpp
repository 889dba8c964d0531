// SPDX-License-Identifier: Apache-2.0
/// Error of the ratio of two sizes of one job, from pairs of published steps.
///
/// A pair errs by what the larger step loses beyond its prediction. Its standard deviations are, toward a larger one
/// that is slower than predicted and toward one that is faster (models/prediction/ratio_error.hpp),
///
///   slower^2 = known + 2 size^2 + lost^2 * d + growth^2 * doublings
///   faster^2 = known + 2 size^2 + lost^2 * d
///
/// size, lost and growth are the most likely ones under two halves of Student's t, which few pairs far away do not
/// decide.
///
/// Example: pairs of equal shares and one doubling, of which half lose 2 % more than predicted and half 2 % less:
/// growth is 0. If none loses less, size is close to 0 and growth holds them all.
#pragma once

#include <vector>

namespace clusterwright {

struct SizeErrorPair {
  double lost_more = 0;   ///< log: what the larger step lost beyond its prediction
  double difference = 0;  ///< lost_difference() of the two
  double doublings = 0;   ///< from the smaller to the larger
  double known = 0;       ///< variance of the ratio by all other causes
  double weight = 1;
};

struct SizeErrors {
  double size = 0, lost = 0, growth = 0;
};

/// @return zeros where there are fewer than three pairs
SizeErrors fitted_size_errors(const std::vector<SizeErrorPair>& pairs);

}  // namespace clusterwright
