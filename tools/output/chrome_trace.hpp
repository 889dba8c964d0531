// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/step_graph.hpp"
#include "sim/timeline.hpp"

namespace clusterwright {

/// Value over time, as steps.
struct CounterTrack {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< microseconds, value
};

/// Tracks of one unit in a process of their own.
struct CounterGroup {
  std::string name;  ///< "busiest links, % of their rate"
  std::string unit;  ///< "%"
  std::vector<CounterTrack> tracks;
};

/// What a timeline shows beside the works of the step.
struct TraceExtras {
  IndexedVector<RendezvousId, std::string> meetings;  ///< names in place of those of works; empty ones stay
  std::vector<CounterGroup> counters;
};

/// Trace Event JSON for Perfetto and chrome://tracing: a process per rank class, a thread per lane, a bar per op.
/// Waits for partners are bars of their own, named "wait: ...". Groups of counters stand above them.
std::string chrome_trace(const StepStructure& structure, const std::vector<TimelineEvent>& events,
                         const TraceExtras& extras = {});

}  // namespace clusterwright
