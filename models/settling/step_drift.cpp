// SPDX-License-Identifier: Apache-2.0
#include "models/settling/step_drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/pass_traces.hpp"

namespace clusterwright {

namespace {

/// Ops of a step, counted from its end.
struct BackwardsView {
  explicit BackwardsView(const StepView& replayed);

  /// Time from the issue of an op by the host to its start; of a pass the least of its ops.
  Picoseconds launch_slack(OpId op);
  Picoseconds before_end(OpId op) const { return step.result.end - step.result.ops[op].end; }
  /// Ops at the end of a lane that belong to no micro-batch, such as the optimizer.
  std::size_t behind_micro_batches(LaneId lane) const;

  StepView step;
  PassTraces passes;
  IndexedVector<LaneId, std::vector<OpId>> lanes;  // ops of each lane, last first
  IndexedVector<OpId, Picoseconds> begun;          // when the host begins to issue
};

BackwardsView::BackwardsView(const StepView& replayed)
    : step(replayed), passes(step.structure, step.timing, step.result) {
  const StepStructure& s = step.structure;
  lanes.resize(s.lanes.size());
  begun.resize(s.op_count());
  IndexedVector<RankClassId, Picoseconds> host(s.ranks.size());
  const auto launch = [&](WorkId work) { return step.timing.works[work].launch; };
  for (const OpId op : s.op_lane.ids()) {
    Picoseconds& time = host[s.lanes[s.op_lane[op]].rank];
    begun[op] = time;
    const PassId pass = s.op_pass[op];
    if (!pass.exists()) time += launch(s.op_work[op]);
    if (pass.exists())
      for (const PassOp& inner : s.passes[pass].ops) time += launch(inner.work);
  }
  for (std::size_t i = s.op_count(); i-- > 0;) lanes[s.op_lane[OpId(i)]].push_back(OpId(i));
}

std::size_t BackwardsView::behind_micro_batches(LaneId lane) const {
  const auto last =
      std::find_if(lanes[lane].begin(), lanes[lane].end(), [&](OpId op) { return step.structure.op_note[op] >= 0; });
  return last == lanes[lane].end() ? 0 : static_cast<std::size_t>(last - lanes[lane].begin());
}

Picoseconds BackwardsView::launch_slack(OpId op) {
  const StepStructure& s = step.structure;
  const auto launch = [&](WorkId work) { return step.timing.works[work].launch; };
  const PassId pass = s.op_pass[op];
  if (!pass.exists()) return step.result.ops[op].start - begun[op] - launch(s.op_work[op]);
  const PassTrace trace = passes.of(op);
  Picoseconds issued = begun[op], least = step.result.end;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    issued += launch(s.passes[pass].ops[i].work);
    least = std::min(least, trace.from + trace.ops[i].start - issued);
  }
  return least;
}

double picoseconds(Picoseconds time) {
  return static_cast<double>(time.count);
}

}  // namespace

StepDrift step_drift(const StepView& shorter, const StepView& longer, int period, int micro_batches, double repeats) {
  BackwardsView few(shorter), many(longer);
  double ops = 0, host = 0;
  for (const LaneId lane : many.lanes.ids()) {
    const std::size_t per_period = many.lanes[lane].size() - few.lanes[lane].size();
    const std::size_t wanted = per_period * static_cast<std::size_t>(micro_batches) / static_cast<std::size_t>(period);
    const std::size_t compared = wanted > 0 ? wanted + few.behind_micro_batches(lane) : 0;
    for (std::size_t i = 0; i < std::min(compared, few.lanes[lane].size()); ++i) {
      const OpId a = few.lanes[lane][i], b = many.lanes[lane][i];
      ops = std::max(ops, std::abs(picoseconds(many.before_end(b) - few.before_end(a))));
      const double slack = picoseconds(many.launch_slack(b));
      host = std::max(host, repeats * (picoseconds(few.launch_slack(a)) - slack) - slack);
    }
  }
  return {ops * 1e-12 * second, host * 1e-12 * second};
}

}  // namespace clusterwright
