// SPDX-License-Identifier: Apache-2.0
/// Simulated time: whole picoseconds, so that order and equality are exact (64 bits last 106 days).
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

#include "sim/quantity.hpp"

namespace clusterwright {

/// A point on the simulated clock, or a span of it.
struct Picoseconds {
  std::int64_t count = 0;

  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds& operator+=(Picoseconds other) {
    count += other.count;
    return *this;
  }
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) { return {a.count + b.count}; }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) { return {a.count - b.count}; }
};

/// Far beyond any step: 26 days. Spans are cut there, so that a few of them can be added without overflow.
inline constexpr double longest_span = 0x1p61;

/// Nearest whole picosecond, at most `longest_span`. @pre time >= 0
inline Picoseconds to_picoseconds(Seconds time) {
  return {std::llround(std::min(time.in(1e-12 * second), longest_span))};
}

inline Seconds to_seconds(Picoseconds time) {
  return static_cast<double>(time.count) * 1e-12 * second;
}

}  // namespace clusterwright
