// SPDX-License-Identifier: Apache-2.0
/// Power over time as samples, and what is read from it: extremes, changes, oscillations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Power over time: the mean of each sample, in watts.
struct PowerSignal {
  Seconds every;  ///< length of a sample
  std::vector<double> watts;

  Seconds length() const { return static_cast<double>(watts.size()) * every; }
  PowerSignal from(std::size_t sample) const;
};

/// Band in which generators and long lines of a grid may swing with a load.
inline constexpr double lowest_band_hz = 0.1, highest_band_hz = 20;

/// Oscillation at one frequency.
struct SpectralLine {
  double hertz = 0;
  Watts swing;  ///< peak to peak
};

struct SignalFigures {
  Watts mean, peak, trough;
  Watts ramp;                       ///< largest change within 1 s
  Watts band;                       ///< peak to peak of all oscillations from 0.1 to 20 Hz together
  double band_share = 0;            ///< energy of those over that of all oscillations
  std::vector<SpectralLine> lines;  ///< strongest ones of the band, the strongest first; at most three
  Watts swing() const { return peak - trough; }
};

SignalFigures figures_of(const PowerSignal& signal);

/// Largest change within a window; within the whole signal where that is shorter.
Watts change_within(const PowerSignal& signal, Seconds window);

/// Swing from peak to peak of the oscillations between two frequencies. Ends are left out: nothing is known before and
/// behind the signal.
Watts band_swing(const PowerSignal& signal, double low_hz, double high_hz);

/// Strength of each frequency up to `highest_hz`, through a window that falls to zero at both ends (Hann): a line is
/// read up to 15 % low where its frequency falls between two of the spectrum.
std::vector<SpectralLine> spectrum_of(const PowerSignal& signal, double highest_hz);

/// Power and energy of a storage that would make the signal flat.
struct FlatStorage {
  Watts power;
  Joules energy;
};
FlatStorage flat_storage(const PowerSignal& signal);

}  // namespace clusterwright
