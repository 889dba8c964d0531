// SPDX-License-Identifier: Apache-2.0
// Passes as templates against the same passes op by op, which is the oracle.
#include <rapidcheck.h>

#include <algorithm>

#include "models/lowering/lowering.hpp"
#include "sim/breakdown.hpp"
#include "sim/flat_step.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"
#include "sim/unfold.hpp"
#include "support/catch.hpp"
#include "support/random_passes.hpp"
#include "support/random_scenario.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

bool same_times(const OpTrace& a, const OpTrace& b) {
  return a.start == b.start && a.active == b.active && a.end == b.end && a.unshared == b.unshared;
}

bool same_power(const DomainPower& a, const DomainPower& b) {
  const auto alike = [](const PowerSample& x, const PowerSample& y) { return x.from == y.from && x.power == y.power; };
  return a.energy == b.energy && a.samples.size() == b.samples.size() &&
         std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), alike);
}

void assert_same(const StepGraph& graph) {
  Replayer replayer(graph.structure);
  const ReplayResult whole = replayer.run(graph.timing);
  const FlatStep flat = flatten(graph.structure);
  const ReplayResult apart = replay(flat.structure, graph.timing);
  RC_ASSERT(whole.end == apart.end);
  if (&replayer.structure() == &graph.structure)
    for (const OpId op : graph.structure.op_lane.ids()) {
      RC_ASSERT(whole.ops[op].start == apart.ops[flat.first[op]].start);
      RC_ASSERT(whole.ops[op].end == apart.ops[flat.last[op]].end);
    }
  const UnfoldedStep unfolded = unfold(replayer.structure(), graph.timing, whole);
  for (const OpId op : flat.structure.op_lane.ids()) RC_ASSERT(same_times(unfolded.result.ops[op], apart.ops[op]));
  const auto power = meter_power(replayer.structure(), graph.timing, whole);
  const auto power_apart = meter_power(flat.structure, graph.timing, apart);
  for (const PowerDomainId domain : power.ids()) RC_ASSERT(same_power(power[domain], power_apart[domain]));
  const Breakdown of_whole = charge_time(replayer.structure(), graph.timing, whole);
  const Breakdown of_apart = charge_time(flat.structure, graph.timing, apart);
  for (const RankClassId rank : graph.structure.ranks.ids()) {
    for (std::size_t i = 0; i < of_whole.by_rank[rank].size(); ++i)
      RC_LOG() << " " << graph.structure.charge_names[i] << " " << of_whole.by_rank[rank][i].count << " "
               << of_apart.by_rank[rank][i].count;
    RC_ASSERT(of_whole.by_rank[rank] == of_apart.by_rank[rank]);
  }
}

}  // namespace

TEST_CASE("passes take the times and charges of their ops", "[laws][engine]") {
  CHECK(rc::check("alone", [] { assert_same(RandomPasses(false).build()); }));
  CHECK(rc::check("meeting others", [] { assert_same(RandomPasses(true).build()); }));
  CHECK(rc::check("in training steps", [] {
    const Scenario s = random_scenario();
    describe(s);
    StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
    for (double& clock : graph.timing.clock) clock = std::min(clock, *rc::gen::element(1.0, 0.9, 0.75));
    assert_same(graph);
  }));
}
