// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/folding_check.hpp"

#include "models/plan/plan.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/cluster/cluster.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SmallCase two_stages() {
  SmallCase c;
  c.tensor = 4;
  c.pipeline = 2;
  c.data = 2;
  c.micro_batches = 8;
  return c;
}

}  // namespace

TEST_CASE("every accelerator for itself takes the time of the folded step", "[models]") {
  const Scenario s = small_scenario(two_stages());
  const UnfoldedCheck check = check_folding(s, plan_of(s));
  CHECK(check.same());
  CHECK(check.ranks == 16);
  CHECK(check.ops == step_size(s, plan_of(s)).unfolded_ops);
}

TEST_CASE("ranks that do not stay in step meet in every collective", "[models]") {
  SmallCase c = two_stages();
  c.slow.push_back({3, 0.7, {}});  // one of a tensor group
  const Scenario s = small_scenario(c);
  CHECK(check_folding(s, plan_of(s)).same());
}

TEST_CASE("ranks of a tensor group stay in step unless hashed messages tell them apart", "[models]") {
  const Scenario even = small_scenario(two_stages_over_leaves());
  Scenario hashed = even;
  hashed.cluster.spec.fabric.routing = Routing::hash;
  hashed.cluster = resized(hashed.cluster, hashed.cluster.spec.accelerators);
  CHECK_FALSE(messages_differ(even, plan_of(even)));
  CHECK(messages_differ(hashed, plan_of(hashed)));
  CHECK(check_folding(even, plan_of(even)).ops == step_size(even, plan_of(even)).unfolded_ops);
  CHECK(check_folding(hashed, plan_of(hashed)).ops > step_size(hashed, plan_of(hashed)).unfolded_ops);
}

TEST_CASE("what takes more memory than there is, or makes no timeline, is refused before it is built", "[models]") {
  const Scenario s = small_scenario(two_stages());
  const StepSize size = step_size(s, plan_of(s));
  CHECK_NOTHROW(check_unfolded(size, 2 * size.memory()));
  CHECK_THROWS_AS(check_unfolded(size, size.memory()), ConfigError);
  CHECK_NOTHROW(check_timeline(size));
  StepSize longer = size;
  longer.bars = 1e8;
  CHECK_THROWS_AS(check_timeline(longer), ConfigError);
}
