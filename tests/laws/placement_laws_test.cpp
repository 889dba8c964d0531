// SPDX-License-Identifier: Apache-2.0
// Laws of jobs on any nodes of a machine.
#include "support/catch.hpp"

#ifdef CLUSTERWRIGHT_RAPIDCHECK

#include <rapidcheck.h>

#include <algorithm>

#include "models/job/job_blocks.hpp"
#include "support/folded_step.hpp"
#include "support/random_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Without stragglers, whose slices fold approximately.
Scenario randomly_placed() {
  SmallCase c = random_case();
  c.slow.clear();
  Scenario s = random_scenario(c);
  const int accelerators = s.cluster.spec.accelerators;
  const int most = s.cluster.fabric.tiers().back().accelerators / s.cluster.node_accelerators;
  const int machine = std::min(most, s.cluster.nodes() + *rc::gen::inRange(0, 9));
  s.job.placement = PlacementSpec{
      *rc::gen::element(PlacementOrder::scattered, PlacementOrder::shuffled), machine, {}, *rc::gen::inRange(0, 1000)};
  s.cluster = cluster_of_size(s, accelerators);
  return s;
}

}  // namespace

TEST_CASE("a step on any nodes of a machine folds as on its first ones", "[laws]") {
  REQUIRE(rc::check("each rank of a placed job does what its class does, to the picosecond", [] {
    const Scenario s = randomly_placed();
    describe(s);
    assert_folds(s);
  }));
}

#endif
