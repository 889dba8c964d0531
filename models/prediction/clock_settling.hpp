// SPDX-License-Identifier: Apache-2.0
/// Which clock each rank class runs at under its power limit.
///
/// The governor of a device averages over tens of milliseconds: much more than a kernel, much less than a pipeline's
/// warm-up. So a rank class runs at the clock at which its mean power outside bubbles meets the rated power, found by
/// re-timing the step until clock and power agree.
#pragma once

#include <vector>

#include "sim/breakdown.hpp"
#include "sim/clocked_power.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

/// Replays at most, and the change of a clock below which another one is not worth it.
inline constexpr int most_clock_rounds = 5;
inline constexpr double clock_tolerance = 2e-3;

/// Energy that one rank class spends above idle outside bubbles, as a function of its clock, and the time that it
/// takes: all that is needed to find the clock without another replay. Transfers and waits are `fixed`.
struct ClockDemand : ClockedEnergy {
  double clocked_time = 0;  ///< seconds: sum of d s on the compute lane
  double busy = 0;          ///< seconds outside bubbles at the present clock
  double clock = 1;         ///< present clock, relative to the reference clock

  /// Watts above idle. @param exponent  of the clocked share of power in the clock
  double mean_power(double c, double exponent) const;
};

/// The highest clock, relative to the reference clock and at most 1, at which the mean stays within `headroom` watts.
/// @param headroom  what a limit leaves above idle
double allowed_clock(const ClockDemand& demand, double headroom, double exponent);

/// By rank class. @param bubble  the charge whose time does not count
IndexedVector<RankClassId, ClockDemand> clock_demands(const StepGraph& graph, const ReplayResult& result,
                                                      const Breakdown& breakdown, ChargeId bubble);

/// Sets the clocks of `timing` to the highest that the limits allow. @return largest change of a clock
double settle_clocks(StepTiming& timing, const IndexedVector<RankClassId, ClockDemand>& demands);

}  // namespace clusterwright
