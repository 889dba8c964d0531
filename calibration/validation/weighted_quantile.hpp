#pragma once

#include <vector>

namespace clusterwright {

struct Weighted {
  double value = 0;
  double weight = 1;
};

/// Smallest value at which the weights below reach `share` of all; 0 without values.
double weighted_quantile(std::vector<Weighted> values, double share);

}  // namespace clusterwright
