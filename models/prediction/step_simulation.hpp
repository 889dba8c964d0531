// SPDX-License-Identifier: Apache-2.0
/// Lowers a step, replays it and settles the clocks that power allows.
#pragma once

#include <vector>

#include "models/lowering/lowering.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "sim/breakdown.hpp"
#include "sim/clocked_power.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

/// Replays at most, and the change of a clock below which another one is not worth it.
inline constexpr int most_clock_rounds = 5;
inline constexpr double clock_tolerance = 2e-3;

/// Energy that one rank class spends above idle outside bubbles, as a function of its clock, and the time that it
/// takes: all that is needed to find the clock without another replay. Transfers and waits are `fixed`.
struct ClockDemand : ClockedEnergy {
  double clocked_time = 0;  ///< seconds: sum of d s on the compute lane
  double busy = 0;          ///< seconds outside bubbles at the present clock
  double clock = 1;         ///< present clock, relative to the reference clock

  /// Watts above idle. @param exponent  of the clocked share of power in the clock
  double mean_power(double c, double exponent) const;
};

/// The highest clock, relative to the reference clock and at most 1, at which the mean stays within `headroom` watts.
/// @param headroom  what a limit leaves above idle
double allowed_clock(const ClockDemand& demand, double headroom, double exponent);

/// By rank class. @param bubble  the charge whose time does not count
std::vector<ClockDemand> clock_demands(const StepGraph& graph, const ReplayResult& result, const Breakdown& breakdown,
                                       ChargeId bubble);

/// Sets the clocks of `timing` to the highest that the limits allow. @return largest change of a clock
double settle_clocks(StepTiming& timing, const std::vector<ClockDemand>& demands);

struct StepSimulation {
  StepGraph graph;  ///< with the settled clocks in its timing
  ReplayResult result;
  Breakdown breakdown;
};

/// Every op of the step, at the clocks that power allows.
StepSimulation simulate_step(const Scenario& scenario, const Plan& plan, Folding folding = Folding::folded);

/// The same of a graph that was lowered already.
StepSimulation simulate_graph(StepGraph graph);

/// Replays the graph at its present clocks and charges the time. @param replayer  of the step's structure
void replay_step(StepSimulation& step, Replayer& replayer);

/// What a prediction reads from a step.
struct StepSummary {
  Picoseconds end;
  std::vector<Seconds> breakdown;  ///< mean over ranks, indexed by StepCharge; sums to `end`
  Joules energy;                   ///< of all nodes of the job
  Watts mean_power;
  Watts peak_power;  ///< largest instant
  PowerWave wave;    ///< behind the filter of power supplies
};

StepSummary summarise(const StepSimulation& step);

}  // namespace clusterwright
