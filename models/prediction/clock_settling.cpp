// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/clock_settling.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

constexpr double lowest_clock = 0.3;

void add_op(ClockDemand& demand, const WorkTiming& work, const OpTrace& trace, LaneKind lane) {
  const double watts = work.power.in(watt);
  if (lane != LaneKind::compute) {
    demand.fixed += watts * to_seconds(trace.end - trace.active).in(second);
    demand.fixed += work.waiting_power.in(watt)*to_seconds(trace.active - trace.start).in(second);
    return;
  }
  const double time = to_seconds(work.duration).in(second);
  demand.add(watts * time, work.clock_share);
  demand.clocked_time += time * work.clock_share;
}

}  // namespace

double ClockDemand::mean_power(double c, double exponent) const {
  return at(c, exponent) / (busy + clocked_time * (1 / c - 1 / clock));
}

double allowed_clock(const ClockDemand& demand, double headroom, double exponent) {
  if (demand.mean_power(1, exponent) <= headroom) return 1;
  double low = lowest_clock, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (demand.mean_power(middle, exponent) <= headroom ? low : high) = middle;
  }
  return low;
}

IndexedVector<RankClassId, ClockDemand> clock_demands(const StepGraph& graph, const ReplayResult& result,
                                                      const Breakdown& breakdown, ChargeId bubble) {
  const StepStructure& s = graph.structure;
  IndexedVector<RankClassId, ClockDemand> demands(s.ranks.size());
  for (std::size_t i = 0; i < s.op_count(); ++i) {
    const OpId op(i);
    const Lane& lane = s.lanes[s.op_lane[op]];
    add_op(demands[lane.rank], graph.timing.works[s.op_work[op]], result.ops[op], lane.kind);
  }
  for (const RankClassId rank : demands.ids()) {
    const Picoseconds idle = breakdown.by_rank[rank][bubble.value];
    demands[rank].busy = std::max(1e-12, to_seconds(result.end - idle).in(second));
    demands[rank].clock = graph.timing.clock[rank];
  }
  return demands;
}

double settle_clocks(StepTiming& timing, const IndexedVector<RankClassId, ClockDemand>& demands) {
  double change = 0;
  for (const RankClassId rank : demands.ids()) {
    const double headroom = (timing.power_limit[rank] - timing.idle_power[rank]).in(watt);
    const double clock =
        std::min(timing.highest_clock[rank], allowed_clock(demands[rank], headroom, timing.power_clock_exponent));
    change = std::max(change, std::abs(clock - timing.clock[rank]));
    timing.clock[rank] = clock;
  }
  return change;
}

}  // namespace clusterwright
