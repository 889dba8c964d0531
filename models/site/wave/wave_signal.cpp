// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/wave_signal.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "sim/power_wave.hpp"

namespace clusterwright {

namespace {

using Frequencies = std::vector<std::complex<double>>;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// First half of the transform of a signal without its mean; the other half mirrors it.
Frequencies transform(std::vector<double> values) {
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  Frequencies out;
  fft.fwd(out, values);
  return out;
}

std::vector<double> without_mean(const PowerSignal& signal) {
  std::vector<double> values = signal.watts;
  const double mean = mean_of(values);
  for (double& value : values) value -= mean;
  return values;
}

/// The signal under a window that falls to zero at both ends.
std::vector<double> windowed(const PowerSignal& signal) {
  std::vector<double> values = without_mean(signal);
  const double turn = 2 * std::numbers::pi / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 - std::cos(turn * (static_cast<double>(i) + 0.5));
  return values;
}

double hertz_of(const PowerSignal& signal, std::size_t line) {
  return static_cast<double>(line) / signal.length().in(second);
}

double band_energy_share(const std::vector<SpectralLine>& spectrum) {
  double all = 0, band = 0;
  for (const SpectralLine& line : spectrum) {
    const double energy = line.swing.in(watt)*line.swing.in(watt);
    all += energy;
    if (line.hertz >= lowest_band_hz && line.hertz <= highest_band_hz) band += energy;
  }
  return all > 0 ? band / all : 0;
}

/// Peaks of the band, each higher than its neighbours; at most three.
std::vector<SpectralLine> strongest(const std::vector<SpectralLine>& spectrum) {
  std::vector<SpectralLine> peaks;
  for (std::size_t i = 1; i + 1 < spectrum.size(); ++i) {
    const SpectralLine& line = spectrum[i];
    const bool inside = line.hertz >= lowest_band_hz && line.hertz <= highest_band_hz;
    if (inside && line.swing > spectrum[i - 1].swing && line.swing >= spectrum[i + 1].swing) peaks.push_back(line);
  }
  constexpr std::size_t most = 3;
  std::ranges::stable_sort(peaks, std::greater{}, &SpectralLine::swing);
  if (peaks.size() > most) peaks.resize(most);
  return peaks;
}

}  // namespace

PowerSignal PowerSignal::from(std::size_t sample) const {
  return {every, {watts.begin() + static_cast<std::ptrdiff_t>(sample), watts.end()}};
}

std::vector<SpectralLine> spectrum_of(const PowerSignal& signal, double highest_hz) {
  const Frequencies lines = transform(windowed(signal));
  std::vector<SpectralLine> out;
  for (std::size_t i = 0; i < lines.size() && hertz_of(signal, i) <= highest_hz; ++i)
    out.push_back({hertz_of(signal, i), 4 * std::abs(lines[i]) / static_cast<double>(signal.watts.size()) * watt});
  return out;
}

Watts change_within(const PowerSignal& signal, Seconds window) {
  const auto places = static_cast<std::size_t>(std::max(1.0, std::round(window / signal.every)));
  return largest_change(signal.watts, places, false) * watt;
}

Watts band_swing(const PowerSignal& signal, double low_hz, double high_hz) {
  Frequencies lines = transform(without_mean(signal));
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (hertz_of(signal, i) < low_hz || hertz_of(signal, i) > high_hz) lines[i] = 0;
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<double> filtered;
  fft.inv(filtered, lines, static_cast<Eigen::Index>(signal.watts.size()));
  constexpr double left_out = 0.04;  // of each end
  const auto edge = static_cast<std::ptrdiff_t>(left_out * static_cast<double>(filtered.size()));
  const auto [low, high] = std::minmax_element(filtered.begin() + edge, filtered.end() - edge);
  return (*high - *low) * watt;
}

SignalFigures figures_of(const PowerSignal& signal) {
  SignalFigures out;
  const auto [low, high] = std::ranges::minmax_element(signal.watts);
  out.mean = mean_of(signal.watts) * watt;
  out.trough = *low * watt;
  out.peak = *high * watt;
  out.ramp = change_within(signal, ramp_window);
  out.band = band_swing(signal, lowest_band_hz, highest_band_hz);
  const std::vector<SpectralLine> spectrum = spectrum_of(signal, 0.5 / signal.every.in(second));
  out.band_share = band_energy_share(spectrum);
  out.lines = strongest(spectrum);
  return out;
}

FlatStorage flat_storage(const PowerSignal& signal) {
  const double mean = mean_of(signal.watts);
  double stored = 0, least = 0, most = 0, power = 0;
  for (const double watts : signal.watts) {
    power = std::max(power, std::abs(watts - mean));
    stored -= (watts - mean) * signal.every.in(second);
    least = std::min(least, stored);
    most = std::max(most, stored);
  }
  return {power * watt, (most - least) * joule};
}

}  // namespace clusterwright
