// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/machine_error.hpp"

#include <cmath>
#include <cstddef>

#include "calibration/fit/likelihood_search.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/prediction/variance.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t fewest_pairs = 3;

double log_likelihood(const std::vector<MachineErrorPair>& pairs, double machine) {
  double sum = 0;
  for (const MachineErrorPair& pair : pairs) {
    const double side = std::sqrt(pair.known + 2 * squared(machine));
    sum += pair.weight * std::log(ratio_density(pair.error, {side, side}));
  }
  return sum;
}

}  // namespace

double fitted_machine_error(const std::vector<MachineErrorPair>& pairs) {
  if (pairs.size() < fewest_pairs) return 0;
  return most_likely<1>([&](const auto& numbers) { return log_likelihood(pairs, numbers[0]); })[0];
}

}  // namespace clusterwright
