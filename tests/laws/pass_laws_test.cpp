// SPDX-License-Identifier: Apache-2.0
// Passes as templates against the same passes op by op, which is the oracle.
#include <rapidcheck.h>

#include "sim/breakdown.hpp"
#include "sim/flat_step.hpp"
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/random_passes.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

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
  const Breakdown of_whole = charge_time(replayer.structure(), graph.timing, whole);
  const Breakdown of_apart = charge_time(flat.structure, graph.timing, apart);
  for (const RankClassId rank : graph.structure.ranks.ids())
    RC_ASSERT(of_whole.by_rank[rank] == of_apart.by_rank[rank]);
}

}  // namespace

TEST_CASE("passes take the times and charges of their ops", "[laws][engine]") {
  CHECK(rc::check("alone", [] { assert_same(RandomPasses(false).build()); }));
  CHECK(rc::check("meeting others", [] { assert_same(RandomPasses(true).build()); }));
}
