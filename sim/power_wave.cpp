// SPDX-License-Identifier: Apache-2.0
#include "sim/power_wave.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace clusterwright {

namespace {

constexpr Seconds sample_time = 4 * millisecond;
constexpr double most_samples = 1e5;  // of a long step

/// First-order filter of a power.
class Filter {
 public:
  Filter(const DomainPower& power, Picoseconds end, Seconds time_constant)
      : power_(power), end_(end), time_constant_(time_constant), level_(power.mean.in(watt)) {}

  /// Goes through the samples from number `first` on. @param visit  gets each level, and the time from the begin
  template <class Visit>
  void run(std::size_t first, Visit visit) {
    for (std::size_t i = first; i < power_.samples.size(); ++i) {
      const Picoseconds until = i + 1 < power_.samples.size() ? power_.samples[i + 1].from : end_;
      const double target = power_.samples[i].power.in(watt);
      level_ = target + (level_ - target) * std::exp(-(to_seconds(until - power_.samples[i].from) / time_constant_));
      visit(level_, until);
    }
  }
  double level() const { return level_; }

 private:
  const DomainPower& power_;
  Picoseconds end_;
  Seconds time_constant_;
  double level_;
};

/// Levels at equal distances, straight between those of a filter.
class Samples {
 public:
  Samples(double level, Picoseconds end)
      : every_(std::max(sample_time / second, to_seconds(end).in(second) / most_samples)), last_(level) {}

  void add(double level, Picoseconds until) {
    const double to = to_seconds(until).in(second);
    while (next_ <= to) {
      const double part = to > from_ ? (next_ - from_) / (to - from_) : 1;
      levels_.push_back(last_ + part * (level - last_));
      next_ += every_;
    }
    last_ = level;
    from_ = to;
  }
  double ramp() const {
    const auto window = static_cast<std::size_t>(std::lround(ramp_window.in(second) / every_));
    return largest_change(levels_, std::max<std::size_t>(window, 1), true);
  }

 private:
  double every_;
  double from_ = 0, next_ = 0, last_;
  std::vector<double> levels_;
};

}  // namespace

PowerWave enclosing(const PowerWave& a, const PowerWave& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::max(a.ramp, b.ramp)};
}

PowerWave smoothed_wave(const DomainPower& power, Picoseconds end, Seconds time_constant) {
  // The level at the start of a step is that at the end of the one before, whose last time constants decide.
  constexpr double forgotten = 40;
  const Picoseconds from = end - std::min(end, to_picoseconds(forgotten * time_constant));
  const auto begin = std::partition_point(power.samples.begin(), power.samples.end(),
                                          [&](const PowerSample& sample) { return sample.from < from; });
  Filter filter(power, end, time_constant);
  filter.run(static_cast<std::size_t>(begin - power.samples.begin()), [](double, Picoseconds) {});
  double low = filter.level(), high = low;
  Samples samples(low, end);
  filter.run(0, [&](double level, Picoseconds until) {
    low = std::min(low, level);
    high = std::max(high, level);
    samples.add(level, until);
  });
  return {low * watt, high * watt, std::min(samples.ramp(), high - low) * watt};
}

double largest_change(std::span<const double> samples, std::size_t window, bool cyclic) {
  if (samples.empty()) return 0;
  if (cyclic) window = std::min(window, samples.size() - 1);
  std::deque<std::size_t> lows, highs;  // places in the window whose values no later one undercuts or tops
  const auto value = [&](std::size_t i) { return samples[i % samples.size()]; };
  double largest = 0;
  const std::size_t count = samples.size() + (cyclic ? window : 0);
  for (std::size_t i = 0; i < count; ++i) {
    while (!lows.empty() && value(lows.back()) >= value(i)) lows.pop_back();
    while (!highs.empty() && value(highs.back()) <= value(i)) highs.pop_back();
    lows.push_back(i);
    highs.push_back(i);
    if (lows.front() + window < i) lows.pop_front();
    if (highs.front() + window < i) highs.pop_front();
    largest = std::max(largest, value(highs.front()) - value(lows.front()));
  }
  return largest;
}

}  // namespace clusterwright
