// SPDX-License-Identifier: Apache-2.0
#include "models/settling/clock_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

double allowed_by_limits(const StepTiming& timing, RankClassId rank, const ClockDemand& demand) {
  const double headroom = (timing.power_limit[rank] - timing.idle_power[rank]).in(watt);
  const PowerControl& control = timing.control[rank];
  const double allowed = control.governed ? allowed_clock(demand, headroom, control.clock_exponent) : 1;
  return std::min(timing.highest_clock[rank], allowed) * timing.relative_clock[rank];
}

}  // namespace

bool ClockSearch::settled(StepTiming& timing, const IndexedVector<RankClassId, ClockDemand>& demands) {
  Clocks allowed(demands.size());
  double change = 0;
  for (const RankClassId rank : demands.ids()) {
    allowed[rank] = allowed_by_limits(timing, rank, demands[rank]);
    change = std::max(change, std::abs(allowed[rank] - timing.clock[rank]));
  }
  if (change < clock_tolerance || changes_ == most_clock_rounds) return true;
  timing.clock = std::move(allowed);
  ++changes_;
  return false;
}

}  // namespace clusterwright
