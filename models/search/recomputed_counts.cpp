// SPDX-License-Identifier: Apache-2.0
#include "models/search/recomputed_counts.hpp"

#include <cmath>

namespace clusterwright {

std::optional<int> least_count(int most, const std::function<bool(int)>& fits) {
  if (fits(0)) return 0;
  if (!fits(most)) return {};
  int too_few = 0, enough = most;
  while (enough - too_few > 1) {
    const int middle = (too_few + enough) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::optional<int> balanced_count(int most, double without, double all) {
  if (without <= 0 || all >= 0) return {};
  return static_cast<int>(std::ceil(most * without / (without - all)));
}

std::set<int> further_counts(int most, int least, int end, std::optional<int> balanced) {
  std::set<int> counts;
  const auto add = [&](int count) {
    if (count > least && count < end) counts.insert(count);
  };
  for (int quarter = 1; quarter < 4; ++quarter) add(most * quarter / 4);
  if (balanced) add(*balanced);
  return counts;
}

}  // namespace clusterwright
