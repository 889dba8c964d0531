/// Where the time of a step went: every rank's compute lane partitioned into busy kinds and waits.
#pragma once

#include <vector>

#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Time per charge; the sum over charges is the step, exactly.
using ChargedTime = std::vector<Picoseconds>;  // indexed by ChargeId

struct Breakdown {
  IndexedVector<RankClassId, ChargedTime> by_rank;
  std::vector<Seconds> mean;  ///< over ranks, weighted by multiplicity; indexed by ChargeId
};

/// Charges each rank's step.
///
/// - a compute op: its unshared duration at the reference clock to its own charge, the clock's share to `throttle`,
///   time lost to sharing to what took the resource;
/// - a gap on the compute lane: walk upstream from what ended it. Transfer time of an own communication op goes to that
///   op's charge; waiting in a rendezvous for another rank class to the rendezvous' `late` charge; waiting for the
///   host to `launch`; what is left at the end of the step to the op that ended last, by the same walk.
Breakdown charge_time(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result);

/// Of `by_rank`, weighted by multiplicity; indexed by ChargeId.
std::vector<Seconds> mean_over_ranks(const StepStructure& structure, const Breakdown& breakdown);

}  // namespace clusterwright
