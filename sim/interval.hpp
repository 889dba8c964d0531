// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace clusterwright {

/// Standard deviations on each side that hold 90 % of a normal distribution.
inline constexpr double half_width_90 = 1.645;

/// A value with its 90 % interval.
template <class T>
struct Interval {
  T low{}, value{}, high{};

  bool operator==(const Interval&) const = default;

  /// Interval of a product with a number that is known. @pre factor is not negative
  template <class Factor>
  auto times(Factor factor) const {
    return Interval<decltype(value * factor)>{low * factor, value * factor, high * factor};
  }
};

}  // namespace clusterwright
