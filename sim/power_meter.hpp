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
IndexedVector<PowerDomainId, DomainPower> meter_power(const StepStructure& structure, const StepPrice& price,
                                                      const ReplayResult& result);

}  // namespace clusterwright
