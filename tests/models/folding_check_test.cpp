// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/folding_check.hpp"

#include "models/plan/plan.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

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
