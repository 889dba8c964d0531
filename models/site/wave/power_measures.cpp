// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/power_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace clusterwright {

namespace {

double mean_of(const PowerSignal& signal) {
  return std::accumulate(signal.watts.begin(), signal.watts.end(), 0.0) / static_cast<double>(signal.watts.size());
}

/// Share of the way to its goal that a first-order filter goes in one sample.
double approach(Seconds every, Seconds time_constant) {
  return time_constant > Seconds() ? 1 - std::exp(-(every / time_constant)) : 1;
}

/// Firmware of one accelerator.
class Smoother {
 public:
  Smoother(const PowerSignal& signal, const PowerSmoothingSpec& smoothing, const HeldAccelerator& accelerator)
      : floor_(smoothing.floor * accelerator.limit.in(watt)),
        work_(accelerator.idle.in(watt) + 0.1 * (accelerator.limit - accelerator.idle).in(watt)),
        up_(step_of(smoothing.ramp_up, signal.every)),
        down_(step_of(smoothing.ramp_down, signal.every)),
        hold_(smoothing.hold / signal.every),
        before_(std::max(mean_of(signal), floor_)) {}

  double next(double power) {
    since_work_ = power > work_ ? 0 : since_work_ + 1;
    double target = since_work_ <= hold_ ? std::max(power, floor_) : power;
    target = std::min(target, before_ + up_);
    if (target < floor_) target = std::max(target, std::min(before_, floor_) - down_);
    before_ = target;
    return target;
  }

 private:
  static double step_of(const std::optional<double>& rate, Seconds every) {
    return rate ? *rate * every.in(second) : std::numeric_limits<double>::infinity();
  }

  double floor_, work_, up_, down_, hold_, before_;
  double since_work_ = 0;  // samples
};

/// Program that runs filler while it waits.
class Filler {
 public:
  Filler(const PowerSignal& signal, const FillerSpec& filler, const HeldAccelerator& accelerator)
      : floor_(filler.floor * accelerator.limit.in(watt)), reaction_(filler.reaction / signal.every) {}

  double next(double power) {
    waited_ = power < floor_ ? waited_ + 1 : 0;
    if (waited_ > reaction_) {
      overrun_ = reaction_;
      return floor_;
    }
    if (waited_ > 0 || overrun_ <= 0) return power;
    const double part = std::min(1.0, overrun_);  // of this sample
    overrun_ -= 1;
    return part * floor_ + (1 - part) * power;
  }

 private:
  double floor_, reaction_;
  double waited_ = 0, overrun_ = 0;  // samples
};

template <class Measure>
MeasurePrice apply(PowerSignal& signal, Measure measure) {
  MeasurePrice price;
  for (double& watts : signal.watts) {
    const double held = measure.next(watts);
    (held > watts ? price.added : price.delayed) += std::abs(held - watts) * watt * signal.every;
    watts = held;
  }
  return price;
}

/// Content of a storage, and what goes through its converter.
class Charge {
 public:
  Charge(const StorageModule& module, Seconds every)
      : every_(every.in(second)),
        full_(module.energy.in(joule)),
        power_(module.power.in(watt)),
        one_way_(std::sqrt(module.efficiency)),
        content_(full_) {}

  double content() const { return content_; }
  /// @param share  of its energy
  void fill(double share) { content_ = share * full_; }
  double surplus(double share) const { return content_ - share * full_; }
  double lost() const { return lost_; }

  /// Takes up power, or gives it if below zero, as far as rating and content allow. @return what went
  double take(double watts) {
    watts = std::clamp(watts, -power_, power_);
    const double before = content_;
    if (watts > 0) {
      content_ = std::min(full_, content_ + watts * one_way_ * every_);
      watts = (content_ - before) / (one_way_ * every_);
    } else {
      content_ = std::max(0.0, content_ + watts / one_way_ * every_);
      watts = (content_ - before) * one_way_ / every_;
    }
    lost_ += watts * every_ - (content_ - before);
    return watts;
  }

 private:
  double every_, full_, power_, one_way_, content_;
  double lost_ = 0;
};

}  // namespace

MeasurePrice smooth(PowerSignal& signal, const PowerSmoothingSpec& smoothing, const HeldAccelerator& accelerator) {
  return apply(signal, Smoother(signal, smoothing, accelerator));
}

MeasurePrice fill(PowerSignal& signal, const FillerSpec& filler, const HeldAccelerator& accelerator) {
  return apply(signal, Filler(signal, filler, accelerator));
}

void filter(PowerSignal& signal, Seconds time_constant) {
  const double share = approach(signal.every, time_constant);
  double level = mean_of(signal);
  for (double& watts : signal.watts) watts = level += share * (watts - level);
}

StorageUse store(PowerSignal& signal, const StorageModule& module) {
  constexpr double slower = 10;  // return of the content, in time constants
  const auto [low, high] = std::ranges::minmax_element(signal.watts);
  const double lowest = *low, highest = *high, swing = highest - lowest;
  if (swing <= 0) return {{}, {}, 0.5 * module.energy, 0.5 * module.energy};
  const Seconds time_constant = module.energy.in(joule) / swing * second;
  const double share = approach(signal.every, time_constant);
  Charge charge(module, signal.every);
  double target = mean_of(signal);
  charge.fill((highest - target) / swing);
  const double begin = charge.content();
  double least = begin, most = begin;
  for (double& watts : signal.watts) {
    target += share * (watts - target);
    const double back = charge.surplus((highest - target) / swing) / (slower * time_constant.in(second));
    watts += charge.take(std::clamp(target - back, lowest, highest) - watts);
    least = std::min(least, charge.content());
    most = std::max(most, charge.content());
  }
  return {charge.lost() * joule, (charge.content() - begin) * joule, least * joule, most * joule};
}

}  // namespace clusterwright
