// SPDX-License-Identifier: Apache-2.0
#include "models/settling/governor.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

constexpr std::size_t steps_of_clock = 170;  // of 0.005; between them the curves are nearly straight

}  // namespace

Stretch& Stretch::operator+=(const Stretch& other) {
  energy.clocked += other.energy.clocked;
  energy.crossed += other.energy.crossed;
  energy.fixed += other.energy.fixed;
  clocked_time += other.clocked_time;
  time += other.time;
  return *this;
}

Stretch operator*(double factor, Stretch stretch) {
  for (double* sum :
       {&stretch.energy.clocked, &stretch.energy.crossed, &stretch.energy.fixed, &stretch.clocked_time, &stretch.time})
    *sum *= factor;
  return stretch;
}

Governor::Governor(double headroom, const VoltageCurve& voltage, double window)
    : headroom_(std::max(0.0, headroom)), window_(window) {
  for (std::size_t i = 0; i <= steps_of_clock; ++i) {
    const double clock = lowest_clock + (1 - lowest_clock) * static_cast<double>(i) / steps_of_clock;
    const double dynamic = voltage.power(clock);
    clocks_.push_back(clock);
    clocked_.push_back(dynamic / clock);
    crossed_.push_back(1 / clock + dynamic);
  }
}

/// Joules at a clock, less what the limit grants for the time by which that clock lengthens the stretch.
double Governor::energy_at(const Stretch& stretch, std::size_t clock) const {
  const ClockedEnergy& energy = stretch.energy;
  return energy.clocked * clocked_[clock] + energy.crossed * crossed_[clock] + energy.fixed -
         headroom_ * stretch.clocked_time * (1 / clocks_[clock] - 1);
}

double Governor::allowed_clock(const Stretch& stretch) const {
  const double granted = headroom_ * stretch.time;
  std::size_t at = clocks_.size() - 1;
  double above = energy_at(stretch, at);
  if (above <= granted) return 1;
  while (at > 0) {
    const double below = energy_at(stretch, at - 1);
    if (below <= granted) {
      const double part = (granted - below) / (above - below);
      return clocks_[at - 1] + part * (clocks_[at] - clocks_[at - 1]);
    }
    above = below;
    --at;
  }
  return lowest_clock;
}

/// Kernels alternate within milliseconds, for which no governor changes the clock.
std::vector<Stretch> Governor::joined(std::span<const Stretch> stretches) const {
  std::vector<Stretch> out;
  bool open = false;  // the last one takes more
  for (const Stretch& stretch : stretches) {
    const bool fills = stretch.time >= window_;
    if (open && !fills)
      out.back() += stretch;
    else
      out.push_back(stretch);
    open = !fills && out.back().time < window_;
  }
  return out;
}

GovernedTime Governor::time_of(std::span<const Stretch> stretches) const {
  const std::vector<Stretch> parts = joined(stretches);
  const auto excess_of = [&](const Stretch& part) {
    return energy_at(part, clocks_.size() - 1) - headroom_ * part.time;
  };
  double excess_of_all = 0;
  for (const Stretch& part : parts) excess_of_all += excess_of(part);
  // Repeated for ever, a step above the limit meets zero in each round, and one below it meets the most.
  const double most = headroom_ * window_;
  double saved = excess_of_all > 0 ? 0 : most;
  GovernedTime out;
  for (const bool counts : {false, true})  // the first round only shows what is saved at its end
    for (const Stretch& part : parts) {
      const double excess = excess_of(part);
      const double late = excess > saved ? 1 - saved / excess : 0;  // part of the work for which nothing is saved
      saved = std::clamp(saved - excess, 0.0, most);
      if (!counts) continue;
      out.clocked += part.clocked_time;
      if (late <= 0) continue;
      const double clock = allowed_clock(part);
      out.lost += late * part.clocked_time * (1 / clock - 1);
      out.beyond = out.beyond || clock <= lowest_clock;
    }
  return out;
}

}  // namespace clusterwright
