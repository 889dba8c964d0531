/// Simulated time: whole picoseconds, so that order and equality are exact (64 bits last 106 days).
#pragma once

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

/// Nearest whole picosecond. @pre 0 <= time < 106 days
inline Picoseconds to_picoseconds(Seconds time) {
  return {std::llround(time.in(1e-12 * second))};
}

inline Seconds to_seconds(Picoseconds time) {
  return static_cast<double>(time.count) * 1e-12 * second;
}

}  // namespace clusterwright
