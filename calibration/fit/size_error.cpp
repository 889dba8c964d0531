// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/size_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "models/prediction/ratio_error.hpp"
#include "models/prediction/variance.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t least_pairs = 3;

/// Logarithms of size, lost and growth.
using LogErrors = std::array<double, 3>;

SizeErrors errors_of(const LogErrors& logs) {
  return {std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2])};
}

double log_likelihood(const std::vector<SizeErrorPair>& pairs, const SizeErrors& errors) {
  double sum = 0;
  for (const SizeErrorPair& pair : pairs) {
    const double both = pair.known + 2 * squared(errors.size) + squared(errors.lost) * pair.difference;
    const RatioError sides{std::sqrt(both + squared(errors.growth) * pair.doublings), std::sqrt(both)};
    sum += pair.weight * std::log(ratio_density(-pair.lost_more, sides));
  }
  return sum;
}

/// Steps along one logarithm after the other, halved where none of them helps: three numbers with one maximum.
SizeErrors most_likely(const std::vector<SizeErrorPair>& pairs) {
  LogErrors best{};
  best.fill(std::log(0.01));
  double highest = log_likelihood(pairs, errors_of(best));
  for (double step = 2; step > 1e-3;) {
    bool better = false;
    for (std::size_t i = 0; i < best.size(); ++i) {
      for (const double by : {step, -step}) {
        LogErrors next = best;
        next[i] = std::max(next[i] + by, std::log(1e-6));
        const double likelihood = log_likelihood(pairs, errors_of(next));
        if (likelihood > highest) best = next, highest = likelihood, better = true;
      }
    }
    if (!better) step /= 2;
  }
  return errors_of(best);
}

}  // namespace

SizeErrors fitted_size_errors(const std::vector<SizeErrorPair>& pairs) {
  if (pairs.size() < least_pairs) return {};
  return most_likely(pairs);
}

}  // namespace clusterwright
