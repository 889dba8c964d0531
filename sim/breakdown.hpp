// SPDX-License-Identifier: Apache-2.0
/// Breakdown of a step: every picosecond of every rank's compute lane, charged to what took it.
///
/// - A compute op: its unshared duration at the reference clock goes to its own charge, what a slow clock adds to
///   `throttle`, and what it lost to sharing to the op that took the resource.
/// - A gap on the compute lane: the walk below.
///
/// The walk charges a gap backwards. It starts where the gap ends, at what ended it, and goes upstream from op to op. A
/// cursor moves back from the end of the gap to its begin; each move is charged once. Invariant: what is charged and
/// what lies between the begin of the gap and the cursor are the whole gap, so the charges of a rank add up to the
/// step exactly. Coming to an op, the walk charges
/// - the launch, if the host had not issued the op when its last dependency was met, to `launch`;
/// - the transfer of an own communication op to the charge of that op;
/// - a wait in a rendezvous, if its last member is on another rank class, to the `late` charge of the rendezvous;
///   if the last member is on the own rank class, the walk goes on from that member.
/// It ends at the begin of the gap, at another rank class (the rest is `late`, or `idle` without a rendezvous) or where
/// there is nothing upstream (the rest is `idle`).
///
/// Example: a rank computes 0..1 us, then sends, and computes 8..11 us when the send has ended. Its partner arrives at
/// 6 us; the transfer takes 6..8 us. The gap 1..8 us ended because the send ended: 2 us of transfer to the charge of
/// the send, then 5 us of waiting to `late`. Work 1 + late 5 + exposed transfer 2 + work 3 = 11 us.
#pragma once

#include <vector>

#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Time per charge, indexed by ChargeId; the sum over charges is the step, exactly.
using ChargedTime = std::vector<Picoseconds>;

struct Breakdown {
  IndexedVector<RankClassId, ChargedTime> by_rank;
  std::vector<Seconds> mean;  ///< over ranks, weighted by multiplicity; indexed by ChargeId
};

/// Charges the step of each rank class. A gap at the end of the step is walked from the op that ended last.
Breakdown charge_time(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result);

/// Mean of `by_rank`, weighted by multiplicity; indexed by ChargeId.
std::vector<Seconds> mean_over_ranks(const StepStructure& structure, const Breakdown& breakdown);

}  // namespace clusterwright
