// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.hpp"

namespace clusterwright {
namespace {

double in_microseconds(Picoseconds time) {
  return static_cast<double>(time.count) / 1e6;
}

}  // namespace

std::vector<TimelineEvent> make_timeline(const StepStructure& structure, const ReplayResult& result) {
  std::vector<TimelineEvent> events;
  events.reserve(structure.op_count());
  for (std::size_t i = 0; i < structure.op_count(); ++i) {
    const OpId op(i);
    const OpTrace& trace = result.ops[op];
    const LaneId lane = structure.op_lane[op];
    const auto add = [&](Picoseconds from, Picoseconds to, bool waiting) {
      events.push_back({op, structure.lanes[lane].rank, lane, structure.work_names[structure.op_work[op]],
                        in_microseconds(from), in_microseconds(to - from), structure.op_note[op], waiting});
    };
    if (trace.start < trace.active) add(trace.start, trace.active, true);
    add(trace.active, trace.end, false);
  }
  return events;
}

}  // namespace clusterwright
