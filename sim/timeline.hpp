// SPDX-License-Identifier: Apache-2.0
/// Timeline of every lane, as plain events for a trace viewer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// One bar. Bars of a lane do not overlap.
struct TimelineEvent {
  OpId op;
  RankClassId rank;
  LaneId lane;
  std::string_view name;  ///< name of the work; lives as long as the structure
  double start_us = 0;
  double duration_us = 0;
  std::int32_t note = -1;  ///< StepStructure::op_note
  bool waiting = false;    ///< the op waits for partners
};

/// Events in op order: one per op from active to end, and one before it if the op waited.
/// @pre no passes (sim/unfold.hpp)
std::vector<TimelineEvent> make_timeline(const StepStructure& structure, const ReplayResult& result);

}  // namespace clusterwright
