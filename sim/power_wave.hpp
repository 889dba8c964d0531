// SPDX-License-Identifier: Apache-2.0
/// How a power varies: extremes behind a filter, and the largest change within a window.
#pragma once

#include <cstddef>
#include <span>

#include "sim/power_meter.hpp"

namespace clusterwright {

/// Extremes of a power that varies.
struct PowerWave {
  Watts low, high;
  Watts ramp;  ///< largest difference between two instants that are at most `ramp_window` apart
};

/// Extremes of both.
PowerWave enclosing(const PowerWave& a, const PowerWave& b);

inline constexpr Seconds ramp_window = 1 * second;

/// Power behind a first-order filter, while the step repeats for ever. Towards a constant power P the filtered level L
/// goes as P + (L - P) * exp(-time / time_constant). Ramps are those of instants 4 ms apart.
/// @param end            end of the step, above 0
/// @param time_constant  time constant of the filter, above 0
PowerWave smoothed_wave(const DomainPower& power, Picoseconds end, Seconds time_constant);

/// Largest difference between two samples that are at most `window` places apart.
/// @param cyclic  whether the first sample follows the last one again
double largest_change(std::span<const double> samples, std::size_t window, bool cyclic);

}  // namespace clusterwright
