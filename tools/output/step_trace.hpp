// SPDX-License-Identifier: Apache-2.0
/// Names of messages and counters of links for the timeline of a step.
#pragma once

#include "models/lowering/lowered_step.hpp"
#include "sim/unfold.hpp"
#include "tools/output/chrome_trace.hpp"
#include "tools/output/link_heat.hpp"

namespace clusterwright {

/// Links with a counter: the busiest of each tier and way, then the next busiest ones that differ.
inline constexpr std::size_t most_link_counters = 12;
/// Intervals of the step over which counters are means, so that a trace stays small.
inline constexpr std::size_t counter_intervals = 2000;

/// Names by meeting: "pipeline forward: stage 0 to stage 1, 16.8 MB", "all-gather of weights: data, 1.2 GB".
/// @param lowered  step that `flat` is the replay of
IndexedVector<RendezvousId, std::string> meeting_names(const LoweredStep& lowered, const UnfoldedStep& flat,
                                                       const StepTiming& timing);

/// Utilisation of links over time, as means over counter_intervals: each transfer spread from its beginning to its end,
/// evenly over the room that shorter ones leave.
std::vector<CounterTrack> link_counters(const LinkHeat& heat, const StepTraffic& traffic, const UnfoldedStep& flat,
                                        const StepTiming& timing);

/// Power and clock of ranks over the step: the first of each stage, at most most_link_counters of them. A clock is one
/// number over a step, the one that costs as much time as the governor does.
std::vector<CounterTrack> power_counters(const StepStructure& structure, const StepTiming& timing,
                                         const ReplayResult& result);
std::vector<CounterTrack> clock_counters(const StepStructure& structure, const StepTiming& timing);

}  // namespace clusterwright
