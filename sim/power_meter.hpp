/// Watts as the integral of the replayed activity, per power domain.
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

struct DomainPower {
  std::vector<PowerSample> samples;  ///< all ranks of the domain together; first at 0, times strictly increasing
  Joules energy;                     ///< of the step
  Watts mean;
  Watts peak;  ///< largest sample
};

/// A rank draws idle power plus that of its running ops, at most its limit, or what it may draw for a short time.
IndexedVector<PowerDomainId, DomainPower> meter_power(const StepStructure& structure, const StepTiming& timing,
                                                      const ReplayResult& result);

/// The least and the most of a power that varies.
struct PowerWave {
  Watts low, high;
};

/// Of the power behind a first-order filter, the step repeating for ever.
/// @param end            of the step, above 0
/// @param time_constant  above 0
PowerWave smoothed_wave(const DomainPower& power, Picoseconds end, Seconds time_constant);

}  // namespace clusterwright
