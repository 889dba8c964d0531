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

std::vector<ClockDemand> clock_demands(const StepGraph& graph, const ReplayResult& result, const Breakdown& breakdown,
                                       ChargeId bubble) {
  const StepStructure& s = graph.structure;
  std::vector<ClockDemand> demands(s.ranks.size());
  for (std::size_t i = 0; i < s.op_count(); ++i) {
    const OpId op(i);
    const Lane& lane = s.lanes[s.op_lane[op]];
    add_op(demands[lane.rank.value], graph.timing.works[s.op_work[op]], result.ops[op], lane.kind);
  }
  for (std::size_t r = 0; r < demands.size(); ++r) {
    const Picoseconds idle = breakdown.by_rank[RankClassId(r)][bubble.value];
    demands[r].busy = std::max(1e-12, to_seconds(result.end - idle).in(second));
    demands[r].clock = graph.timing.clock[RankClassId(r)];
  }
  return demands;
}

double settle_clocks(StepTiming& timing, const std::vector<ClockDemand>& demands) {
  double change = 0;
  for (std::size_t r = 0; r < demands.size(); ++r) {
    const RankClassId rank(r);
    const double headroom = (timing.power_limit[rank] - timing.idle_power[rank]).in(watt);
    const double clock =
        std::min(timing.highest_clock[rank], allowed_clock(demands[r], headroom, timing.power_clock_exponent));
    change = std::max(change, std::abs(clock - timing.clock[rank]));
    timing.clock[rank] = clock;
  }
  return change;
}

}  // namespace clusterwright
