// SPDX-License-Identifier: Apache-2.0
#include "models/settling/clock_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

double allowed_by_limits(const StepTiming& timing, RankClassId rank, const GovernedTime& time) {
  return std::min(timing.highest_clock[rank], time.clock()) * timing.relative_clock[rank];
}

}  // namespace

bool ClockSearch::settled(StepTiming& timing, const IndexedVector<RankClassId, GovernedTime>& times) {
  Clocks allowed(times.size());
  double change = 0;
  for (const RankClassId rank : times.ids()) {
    allowed[rank] = allowed_by_limits(timing, rank, times[rank]);
    change = std::max(change, std::abs(allowed[rank] - timing.clock[rank]));
  }
  if (change < clock_tolerance || changes_ == most_clock_rounds) return true;
  timing.clock = std::move(allowed);
  ++changes_;
  return false;
}

}  // namespace clusterwright
