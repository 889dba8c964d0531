// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/size_error.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "calibration/fit/likelihood_search.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/prediction/variance.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t least_pairs = 3;

double log_likelihood(const std::vector<SizeErrorPair>& pairs, const SizeErrors& errors) {
  double sum = 0;
  for (const SizeErrorPair& pair : pairs) {
    const double both = pair.known + 2 * squared(errors.size) + squared(errors.lost) * pair.difference;
    const RatioError sides{std::sqrt(both + squared(errors.growth) * pair.doublings), std::sqrt(both)};
    sum += pair.weight * std::log(ratio_density(-pair.lost_more, sides));
  }
  return sum;
}

}  // namespace

SizeErrors fitted_size_errors(const std::vector<SizeErrorPair>& pairs) {
  if (pairs.size() < least_pairs) return {};
  const auto errors_of = [](const std::array<double, 3>& x) { return SizeErrors{x[0], x[1], x[2]}; };
  return errors_of(most_likely<3>([&](const auto& numbers) { return log_likelihood(pairs, errors_of(numbers)); }));
}

}  // namespace clusterwright
