// SPDX-License-Identifier: Apache-2.0
/// Time, power and energy of work at a clock other than the reference clock.
///
/// A share s of the work follows the clock c, relative to the reference clock: the work takes s / c + 1 - s of its time
/// and draws s c^e + 1 - s of its power. The voltage falls with the clock, hence an exponent e above 1.
/// Half of a kernel at c = 0.5 with e = 2: 1.5 times as long, at 0.625 of the power.
#pragma once

#include <cmath>

namespace clusterwright {

/// Time over that at the reference clock.
inline double clock_stretch(double share, double clock) {
  return share / clock + 1 - share;
}

/// Power over that at the reference clock, of works with different shares at one clock.
class ClockedPower {
 public:
  ClockedPower(double clock, double exponent) : dynamic_(std::pow(clock, exponent)) {}

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
  double at(double clock, double exponent) const {
    return clocked * std::pow(clock, exponent - 1) + crossed * (1 / clock + std::pow(clock, exponent)) + fixed;
  }
  /// Energy that no clock from `lowest` to 1 goes below. @pre exponent >= 1
  double least(double lowest, double exponent) const {
    const double turn = std::pow(1 / exponent, 1 / (exponent + 1));  // of what `crossed` counts
    const double clock = turn < lowest ? lowest : turn;
    return clocked * std::pow(lowest, exponent - 1) + crossed * (1 / clock + std::pow(clock, exponent)) + fixed;
  }
};

}  // namespace clusterwright
