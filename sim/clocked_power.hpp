// SPDX-License-Identifier: Apache-2.0
/// Time, power and energy of work at a clock other than the reference clock.
///
/// A share s of the work follows the clock c, relative to the reference clock: the work takes s / c + 1 - s of its time
/// and draws s d(c) + 1 - s of its power. The voltage falls with the clock down to a floor: d is c^e above it, e above
/// 1, and goes straight to zero below it. Half of a kernel at c = 0.5 with e = 2, without a floor: 1.5 times as long,
/// at 0.625 of the power.
#pragma once

#include <algorithm>
#include <cmath>

namespace clusterwright {

/// Time over that at the reference clock.
inline double clock_stretch(double share, double clock) {
  return share / clock + 1 - share;
}

/// Power of what follows the clock, over that at the reference clock.
struct VoltageCurve {
  double exponent = 1;  ///< while the voltage falls with the clock; at least 1
  double floor = 0;     ///< clock below which the voltage stays, so that power falls as the clock does; at most 1

  double power(double clock) const {
    return clock >= floor ? std::pow(clock, exponent) : clock * std::pow(floor, exponent - 1);
  }
  /// Clock at which the power is `power`. @pre power > 0
  double clock(double power) const {
    const double at_floor = std::pow(floor, exponent);
    return power >= at_floor ? std::pow(power, 1 / exponent) : floor * power / at_floor;
  }
  bool operator==(const VoltageCurve&) const = default;
};

/// Power over that at the reference clock, of works with different shares at one clock.
class ClockedPower {
 public:
  ClockedPower(double clock, const VoltageCurve& voltage) : dynamic_(voltage.power(clock)) {}

  /// @param share  of the work that follows the clock
  double of(double share) const { return dynamic_ == 1 ? 1 : share * dynamic_ + 1 - share; }

 private:
  double dynamic_;
};

/// Energy of many works at any clock without another pass over them: time times power of each, multiplied out.
struct ClockedEnergy {
  double clocked = 0;  ///< joules: sum of s^2 E, E the energy at the reference clock
  double crossed = 0;  ///< joules: sum of s (1 - s) E
  double fixed = 0;    ///< joules: sum of (1 - s)^2 E

  void add(double joules, double share) {
    clocked += joules * share * share;
    crossed += joules * share * (1 - share);
    fixed += joules * (1 - share) * (1 - share);
  }
  double at(double clock, const VoltageCurve& voltage) const {
    const double power = voltage.power(clock);
    return clocked * power / clock + crossed * (1 / clock + power) + fixed;
  }
  /// Energy that no clock from `lowest` to 1 goes below.
  double least(double lowest, const VoltageCurve& voltage) const {
    // Of what `crossed` counts: it only falls up to the floor.
    const double turn = std::pow(1 / voltage.exponent, 1 / (voltage.exponent + 1));
    const double clock = std::max({turn, lowest, voltage.floor});
    return clocked * voltage.power(lowest) / lowest + crossed * (1 / clock + voltage.power(clock)) + fixed;
  }
};

}  // namespace clusterwright
