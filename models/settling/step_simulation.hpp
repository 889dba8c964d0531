// SPDX-License-Identifier: Apache-2.0
/// Lowers a step, replays it and settles the clocks that power allows.
#pragma once

#include <optional>
#include <vector>

#include "models/lowering/lowering.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/step_view.hpp"
#include "sim/power_wave.hpp"

namespace clusterwright {

/// Replayed step.
struct StepSimulation {
  StepGraph graph;  ///< graph with the settled clocks in its timing
  ReplayResult result;
  Breakdown breakdown;
};

/// Lowers and replays a step, and settles its clocks: those at which the work of each rank class takes as long as under
/// its governor (governor.hpp).
StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding = Folding::folded);

/// Replays a lowered graph and settles its clocks.
StepSimulation simulate_graph(StepGraph graph);

/// Replays the graph at its present clocks and charges the time. @param replayer  of the step's structure
/// @throws std::logic_error if that has passes that are not closed (with_closed_passes)
void replay_step(StepSimulation& step, Replayer& replayer);

/// Clock of accelerators with a clock cap, relative to the reference clock.
struct CappedClock {
  double cap = 1;
  double settled = 1;  ///< below the cap: power limits the clock and the cap does nothing
};

/// Ends of the two kinds of steps of groups that train apart: without synchronisation, and with it.
struct StepKinds {
  Picoseconds local, last;
};

/// Times of a step.
struct StepTime {
  Picoseconds end;
  std::vector<Seconds> breakdown;       ///< mean over ranks, indexed by StepCharge; sums to `end`
  std::vector<CappedClock> capped;      ///< one for each rank class with a cap below 1
  std::optional<StepKinds> kinds = {};  ///< where the times are means over several steps
  /// Time in kernels by kind of nodes, mean over their ranks; empty where all nodes are alike.
  std::vector<Seconds> busy = {};
};

StepTime time_of(const StepView& step);

/// StepTime::busy of a breakdown.
std::vector<Seconds> busy_by_kind(const StepStructure& structure, const Breakdown& breakdown);

/// Time constant of the bulk capacitors of a server's power supply; estimates run from 20 to 50 ms.
inline constexpr Seconds supply_time_constant = 30 * millisecond;

/// Times and power of a step. Its power takes about as long to compute as its times.
struct StepSummary : StepTime {
  Joules energy;  ///< energy of all nodes of the job
  Watts mean_power;
  Watts peak_power;  ///< largest instant
  PowerWave wave;    ///< power behind the filter of power supplies
  /// Ranks whose limit asks for less than `lowest_clock`: they draw more than it.
  bool beyond_limit = false;
};

StepSummary summarise(const StepView& step);

/// Summary within the limits of the governors of the step: clocks settle to `clock_tolerance`, which may leave the mean
/// slightly above what a governor holds. Where a clock ends at the lowest one the mean stays as it is, and
/// `beyond_limit` says so. Peak and wave enclose the mean.
StepSummary governed(StepSummary summary, const StepStructure& structure, const StepTiming& timing);

}  // namespace clusterwright
