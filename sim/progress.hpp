// SPDX-License-Identifier: Apache-2.0
/// Progress of ops and transfers in whole numbers, so that equal inputs give equal events on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/sim_time.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright::engine {

/// Progress of a compute op per picosecond when it runs alone.
inline constexpr std::uint32_t full_speed_bits = 20;
inline constexpr std::uint32_t full_speed = 1u << full_speed_bits;

/// Progress of a transfer is counted in bytes times picoseconds per second: rates are bytes per second.
inline constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;

/// Progress that a compute op of this duration has to make.
inline Int128 progress_of(Picoseconds duration) {
  return Int128{duration.count} << full_speed_bits;
}

/// Time for `remaining` units at `rate` units per picosecond, rounded up; at most 26 days, far beyond any step.
inline Picoseconds time_for(Int128 remaining, std::uint64_t rate) {
  constexpr Int128 horizon = Int128{1} << 61;
  if (remaining <= 0) return {0};
  if (remaining <= std::numeric_limits<std::int64_t>::max() / 2)  // avoids the wide division
    return {static_cast<std::int64_t>((static_cast<std::uint64_t>(remaining) + rate - 1) / rate)};
  return {static_cast<std::int64_t>(std::min(horizon, (remaining + rate - 1) / rate))};
}

}  // namespace clusterwright::engine
