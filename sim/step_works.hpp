// SPDX-License-Identifier: Apache-2.0
/// Sums over the works of a step, passes by their number.
#pragma once

#include <cstdint>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// Time of a leg or chain alone, at its own rate: without other transfers, and without memory shared with kernels.
Picoseconds time_alone(const LegTiming& leg);
Picoseconds time_alone(const StepStructure& structure, const StepTiming& timing, ChainId chain);

/// A single op, or an op of a pass with all its repetitions on a rank class.
struct StepWork {
  RankClassId rank;
  LaneKind lane = LaneKind::compute;
  WorkId work;
  ChargeId charge;
  ChainId chain;  ///< "none" for kernels
  OpId op;        ///< "none" inside passes
  std::uint64_t count = 1;
};

/// Number of passes of each kind on each rank class.
IndexedVector<RankClassId, IndexedVector<PassId, std::uint64_t>> pass_counts(const StepStructure& structure);

/// Calls `visit` with the single ops in their order, then with those of passes.
template <class Visit>
void for_each_work(const StepStructure& s, const Visit& visit) {
  for (const OpId op : s.op_lane.ids()) {
    if (s.op_pass[op].exists()) continue;
    const Lane& lane = s.lanes[s.op_lane[op]];
    const RendezvousId meeting = s.op_rendezvous[op];
    const ChainId chain = meeting.exists() ? s.rendezvous[meeting].chain : ChainId();
    visit(StepWork{lane.rank, lane.kind, s.op_work[op], s.op_charge[op], chain, op, 1});
  }
  const auto counts = pass_counts(s);
  for (const RankClassId rank : s.ranks.ids())
    for (const PassId pass : s.passes.ids()) {
      if (counts[rank][pass] == 0) continue;
      for (const PassOp& op : s.passes[pass].ops) {
        const bool kernel = op.collective == PassOp::kernel;
        visit(StepWork{rank, s.lanes[s.pass_lanes[rank][op.lane]].kind, op.work, op.charge,
                       kernel ? ChainId() : s.pass_chains[rank][op.collective], OpId(), counts[rank][pass]});
      }
    }
}

}  // namespace clusterwright
