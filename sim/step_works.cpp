// SPDX-License-Identifier: Apache-2.0
#include "sim/step_works.hpp"

#include "sim/progress.hpp"

namespace clusterwright {

Picoseconds time_alone(const LegTiming& leg) {
  if (leg.bytes == 0) return leg.delay;
  return leg.delay + engine::time_for(Int128{leg.bytes} * engine::picoseconds_per_second, leg.rate_bound);
}

Picoseconds time_alone(const StepStructure& structure, const StepTiming& timing, ChainId chain) {
  Picoseconds alone;
  for (LegId leg(structure.chain_begin[chain.value]); leg.value < structure.chain_begin[chain.value + 1]; ++leg.value)
    alone += time_alone(timing.legs[leg]);
  return alone;
}

IndexedVector<RankClassId, IndexedVector<PassId, std::uint64_t>> pass_counts(const StepStructure& s) {
  IndexedVector<RankClassId, IndexedVector<PassId, std::uint64_t>> counts;
  counts.assign(s.ranks.size(), IndexedVector<PassId, std::uint64_t>(s.passes.size(), 0));
  for (const OpId op : s.op_pass.ids())
    if (const PassId pass = s.op_pass[op]; pass.exists()) ++counts[s.lanes[s.op_lane[op]].rank][pass];
  return counts;
}

}  // namespace clusterwright
