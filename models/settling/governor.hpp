// SPDX-License-Identifier: Apache-2.0
/// Power governor of a device: which of its work runs below the reference clock, and for how long.
///
/// A governor holds the mean power of its window. What work draws below the limit is saved up, but no more than an idle
/// window leaves; work above the limit runs at the reference clock until that is used up, and then at the clock at
/// which it draws the limit.
///
/// Example: limit 600 W above idle, window 20 ms, so at most 12 J are saved. Multiplies of 100 ms at 800 W above idle
/// follow a wait of 50 ms: they are 20 J above the limit, of which the wait pays 12 J. They run 60 ms at the reference
/// clock and the other 40 ms of work at the clock at which they draw 600 W. After a wait of 10 ms (6 J) it is 30 and 70
/// ms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/clocked_power.hpp"

namespace clusterwright {

/// Lowest clock that governors choose, relative to the reference clock: data-centre parts idle at 0.1 to 0.2 of it.
inline constexpr double lowest_clock = 0.15;

/// What a device does for some time: its kernels, and transfers beside them.
struct Stretch {
  ClockedEnergy energy;     ///< joules above idle; what does not follow the clock is fixed
  double clocked_time = 0;  ///< seconds of the kernels that follow the clock, at the reference clock
  double time = 0;          ///< seconds at the reference clock

  void add_kernels(double watts, double seconds, double share) {
    energy.add(watts * seconds, share);
    clocked_time += seconds * share;
  }
  Stretch& operator+=(const Stretch& other);
};
Stretch operator*(double factor, Stretch stretch);

/// Time of work that a governor lengthens.
struct GovernedTime {
  double clocked = 0;   ///< seconds that follow the clock, at the reference clock
  double lost = 0;      ///< seconds that they take longer
  bool beyond = false;  ///< work draws more than the limit at the lowest clock

  /// Clock that costs as much time over all the work.
  double clock() const { return clocked > 0 ? clocked / (clocked + lost) : 1; }
};

class Governor {
 public:
  /// @param headroom  watts from idle to the limit, @param window  seconds
  Governor(double headroom, const VoltageCurve& voltage, double window);

  /// Time of `stretches`, which repeat for ever. Neighbours are joined until they fill a window; what is longer than a
  /// window stays as it is.
  GovernedTime time_of(std::span<const Stretch> stretches) const;

  /// Highest clock from `lowest_clock` to 1 at which a stretch draws no more than the limit.
  double allowed_clock(const Stretch& stretch) const;

 private:
  std::vector<Stretch> joined(std::span<const Stretch> stretches) const;
  double energy_at(const Stretch& stretch, std::size_t clock) const;

  double headroom_, window_;
  std::vector<double> clocks_, clocked_, crossed_;  // of ClockedEnergy, by clock
};

}  // namespace clusterwright
