// SPDX-License-Identifier: Apache-2.0
/// Search for the clocks that power limits allow, replay by replay.
#pragma once

#include "models/settling/governor.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Maximum number of changes of clocks, and the change below which no further replay is made.
inline constexpr int most_clock_rounds = 5;
inline constexpr double clock_tolerance = 3e-4;

/// Clocks by rank class, relative to the reference clock.
using Clocks = IndexedVector<RankClassId, double>;

/// Each rank class runs at the highest clock whose mean power stays within the power limit, as its governor sees it.
/// What waits and sharing add to that power is known from a replay at other clocks only, so the allowed clock moves a
/// little with the clock that was tried, each time by about a tenth.
///
///   ClockSearch search;
///   do replay(timing); while (!search.settled(timing, times));
class ClockSearch {
 public:
  /// Sets the clocks of the next replay. @param times  of the last one
  /// @return true if none is needed: the clocks of the last replay stay
  bool settled(StepTiming& timing, const IndexedVector<RankClassId, GovernedTime>& times);

 private:
  int changes_ = 0;
};

}  // namespace clusterwright
