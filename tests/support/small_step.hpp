// SPDX-License-Identifier: Apache-2.0
/// Steps small enough to check by hand: times in microseconds, one byte of progress per megabyte per second.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sim/breakdown.hpp"
#include "sim/replay.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright::testing {

enum SmallCharge : std::uint32_t { work, exposed, late, launch, throttle, idle, small_charge_count };

inline ChargeId charge(SmallCharge which) {
  return ChargeId(static_cast<std::size_t>(which));
}

inline Picoseconds us(std::int64_t count) {
  return {count * 1'000'000};
}

inline WorkTiming busy(std::int64_t microseconds) {
  WorkTiming timing;
  timing.duration = us(microseconds);
  return timing;
}

/// A builder with one power domain and shorthand for what most tests repeat.
struct SmallStep {
  StepGraphBuilder builder{{"work", "exposed", "late", "launch", "throttle", "idle"},
                           {charge(launch), charge(throttle), charge(idle)}};
  PowerDomainId domain = builder.add_power_domain("rack");

  RankClassId rank(const std::string& name, std::uint32_t multiplicity = 1) {
    return builder.add_rank_class(name, multiplicity, domain, 100 * watt, 1e9 * watt);
  }
  LaneId compute_lane(RankClassId rank) { return builder.add_lane(rank, LaneKind::compute, "compute"); }
  LaneId network_lane(RankClassId rank) { return builder.add_lane(rank, LaneKind::communication, "network"); }

  OpId compute(LaneId lane, std::int64_t microseconds) { return compute(lane, busy(microseconds)); }
  OpId compute(LaneId lane, const WorkTiming& timing) {
    return builder.add_op(lane, builder.add_work("gemm", timing), charge(work));
  }

  /// `bytes` at `rate` bytes per microsecond, alone; over `link` if it exists.
  RendezvousId transfer(std::uint64_t bytes, std::uint64_t rate, ResourceId link = {}, std::int64_t delay = 0) {
    StepGraphBuilder::Leg leg;
    leg.timing = {us(delay), bytes, rate * 1'000'000, 1};
    if (link.exists()) leg.uses.push_back({link});
    return builder.add_rendezvous(builder.add_chain({leg}), charge(late));
  }
  OpId join(LaneId lane, RendezvousId rendezvous, const WorkTiming& timing = {}) {
    return builder.add_op(lane, builder.add_work("send", timing), charge(exposed), rendezvous);
  }
  ResourceId link(std::uint64_t bytes_per_microsecond) {
    return builder.add_resource("link", static_cast<double>(bytes_per_microsecond) * 1e6 * byte_per_second);
  }
};

inline ReplayResult replay(const StepGraph& graph) {
  return clusterwright::replay(graph.structure, graph.timing);
}

inline Picoseconds total(const ChargedTime& charged) {
  Picoseconds sum;
  for (const Picoseconds time : charged) sum += time;
  return sum;
}

}  // namespace clusterwright::testing

/// So that a failed comparison prints numbers.
namespace clusterwright {
inline std::ostream& operator<<(std::ostream& out, Picoseconds time) {
  return out << time.count << " ps";
}
}  // namespace clusterwright
