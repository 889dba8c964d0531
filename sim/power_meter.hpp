// SPDX-License-Identifier: Apache-2.0
/// Power and energy of a replayed step, per power domain.
///
/// Power of an op follows from its phase in the replay and the clock of its rank:
///   waiting for partners   waiting_power of its work
///   running                power * (clock_share * clock^exponent + 1 - clock_share), less where others slow a kernel
///                          down: its energy stays that of the kernel alone
/// A rank draws idle power and that of its ops, and no more than its limit, over which it may go for a short time:
///   rank = min(idle + sum over its ops, idle + (limit - idle) * short_term_power)
/// A domain draws the sum over its rank classes of multiplicity * rank. Power changes only when an op starts, becomes
/// active or ends, so its integral is a sum of products. Invariant: energy = sum of power * time over the samples.
///
/// Example: two ranks that idle at 100 W send a message that draws 70 W on each, and 20 W where it waits. One arrives
/// at once, the other at 3 us; the transfer takes 2 us.
///   0..3 us   2 * 100 + 20       = 220 W
///   3..5 us   2 * (100 + 70)     = 340 W
///   energy    220 * 3 + 340 * 2  = 1340 uJ, mean 268 W, peak 340 W
///
/// Passes count op by op, each played again once for all its repetitions where nothing beside it changes.
///
/// Sums are made in whole microwatts: they do not depend on their order, and what was added is taken away exactly.
///
/// @source docs/models.md, "Power and clock"
#pragma once

#include <vector>

#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Power is constant from `from` to the next sample.
struct PowerSample {
  Picoseconds from;
  Watts power;
};

/// Power of all ranks of a domain together.
struct DomainPower {
  std::vector<PowerSample> samples;  ///< first at 0, times strictly increasing
  Joules energy;                     ///< of one step
  Watts mean;
  Watts peak;  ///< largest sample
};

/// Power of every domain over the step that was replayed to `result`.
IndexedVector<PowerDomainId, DomainPower> meter_power(const StepStructure& structure, const StepTiming& timing,
                                                      const ReplayResult& result);

/// Energy of one rank of each class over a step.
struct RankEnergy {
  Picoseconds slot;  ///< length of a slot; the last one of the step may be shorter
  Picoseconds end;   ///< of the step
  /// Joules from the begin of the step to the end of each slot; the first value is 0.
  IndexedVector<RankClassId, std::vector<double>> joules;

  /// Joules from the begin of the step to `seconds`, at constant power within a slot.
  double until(RankClassId rank, double seconds) const;
};

/// @param slot  above 0
RankEnergy meter_ranks(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result,
                       Picoseconds slot);

}  // namespace clusterwright
