#include "calibration/validation/weighted_quantile.hpp"

#include <algorithm>

namespace clusterwright {

double weighted_quantile(std::vector<Weighted> values, double share) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  double total = 0, below = 0;
  for (const Weighted& one : values) total += one.weight;
  for (const Weighted& one : values)
    if ((below += one.weight) >= share * total) return one.value;
  return values.empty() ? 0 : values.back().value;
}

}  // namespace clusterwright
