// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expected_maximum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clusterwright {

namespace {

/// The z whose Cornish-Fisher value is `t`; below the least value: very small.
double normal_place(double t, double skewness) {
  constexpr double negligible = 1e-9;
  if (std::abs(skewness) < negligible) return t;
  const double root = 1 + (2 * skewness / 3) * (t + skewness / 6);
  constexpr double certain = 40;
  if (root < 0) return skewness > 0 ? -certain : certain;
  return 3 * (std::sqrt(root) - 1) / skewness;
}

/// Logarithm of the probability that all counts of a kind are below `x`.
double log_below(const CountKind& kind, double x) {
  if (kind.variance <= 0) return x < kind.mean ? -1e9 : 0;
  const double sd = std::sqrt(kind.variance);
  const double skewness = kind.mean > 0 ? (2 * kind.variance / kind.mean - 1) / sd : 0;
  const double z = normal_place((x - kind.mean) / sd, skewness);
  const double above = 0.5 * std::erfc(z / std::numbers::sqrt2);
  return above >= 1 ? -1e9 : kind.counts * std::log1p(-above);
}

}  // namespace

double expected_maximum(const std::vector<CountKind>& kinds) {
  constexpr double below = 8, beyond = 16;  // standard deviations; tails outside weigh less than 1e-9
  double low = 0, high = 0;
  for (const CountKind& kind : kinds) {
    const double sd = std::sqrt(std::max(kind.variance, 0.0));
    low = std::max(low, kind.mean - below * sd);
    high = std::max(high, kind.mean + beyond * sd);
  }
  constexpr int steps = 2000;
  const double step = (high - low) / steps;
  double integral = 0;
  for (int i = 0; i <= steps; ++i) {
    double log_all = 0;
    for (const CountKind& kind : kinds) log_all += log_below(kind, low + i * step);
    integral += (i == 0 || i == steps ? 0.5 : 1.0) * (1 - std::exp(log_all));
  }
  return low + integral * step;
}

}  // namespace clusterwright
