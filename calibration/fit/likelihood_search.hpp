// SPDX-License-Identifier: Apache-2.0
/// Most likely values of a few positive numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace clusterwright {

/// Positive numbers at which a log likelihood of one maximum is highest. Steps go along the logarithm of one number
/// after the other and are halved where none of them helps, down to 0.1 %. Numbers stay above 1e-6.
/// @param log_likelihood  function of `n` numbers
template <std::size_t n, class LogLikelihood>
std::array<double, n> most_likely(const LogLikelihood& log_likelihood) {
  const auto numbers_of = [](std::array<double, n> logs) {
    for (double& x : logs) x = std::exp(x);
    return logs;
  };
  std::array<double, n> best{};
  best.fill(std::log(0.01));
  double highest = log_likelihood(numbers_of(best));
  for (double step = 2; step > 1e-3;) {
    bool better = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double by : {step, -step}) {
        std::array<double, n> next = best;
        next[i] = std::max(next[i] + by, std::log(1e-6));
        const double likelihood = log_likelihood(numbers_of(next));
        if (likelihood > highest) best = next, highest = likelihood, better = true;
      }
    }
    if (!better) step /= 2;
  }
  return numbers_of(best);
}

}  // namespace clusterwright
