// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_drift.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace clusterwright {

namespace {

/// A step seen from its end.
struct BackwardsView {
  explicit BackwardsView(const StepSimulation& simulated);

  /// Of an op: how long the host had issued it before it started.
  Picoseconds launch_slack(OpId op) const { return step.result.ops[op].start - issued[op]; }
  Picoseconds before_end(OpId op) const { return step.result.end - step.result.ops[op].end; }

  const StepSimulation& step;
  IndexedVector<LaneId, std::vector<OpId>> lanes;  // ops of each lane, last first
  IndexedVector<OpId, Picoseconds> issued;
};

BackwardsView::BackwardsView(const StepSimulation& simulated) : step(simulated) {
  const StepStructure& s = step.graph.structure;
  lanes.resize(s.lanes.size());
  issued.resize(s.op_count());
  IndexedVector<RankClassId, Picoseconds> host(s.ranks.size());
  for (std::size_t i = 0; i < s.op_count(); ++i)
    issued[OpId(i)] = host[s.lanes[s.op_lane[OpId(i)]].rank] += step.graph.timing.works[s.op_work[OpId(i)]].launch;
  for (std::size_t i = s.op_count(); i-- > 0;) lanes[s.op_lane[OpId(i)]].push_back(OpId(i));
}

double picoseconds(Picoseconds time) {
  return static_cast<double>(time.count);
}

}  // namespace

StepDrift step_drift(const StepSimulation& shorter, const StepSimulation& longer, int period, int micro_batches,
                     double repeats) {
  const BackwardsView few(shorter), many(longer);
  double ops = 0, host = 0;
  for (const LaneId lane : many.lanes.ids()) {
    const std::size_t per_period = many.lanes[lane].size() - few.lanes[lane].size();
    const std::size_t wanted = per_period * static_cast<std::size_t>(micro_batches) / static_cast<std::size_t>(period);
    for (std::size_t i = 0; i < std::min(wanted, few.lanes[lane].size()); ++i) {
      const OpId a = few.lanes[lane][i], b = many.lanes[lane][i];
      ops = std::max(ops, std::abs(picoseconds(many.before_end(b) - few.before_end(a))));
      const double slack = picoseconds(many.launch_slack(b));
      host = std::max(host, repeats * (picoseconds(few.launch_slack(a)) - slack) - slack);
    }
  }
  return {ops * 1e-12 * second, host * 1e-12 * second};
}

}  // namespace clusterwright
