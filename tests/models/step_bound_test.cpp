// SPDX-License-Identifier: Apache-2.0
// Bounds that a search relies on: no step may be faster, whatever its plan.
#include "models/search/step_bound.hpp"

#include <cstdlib>
#include <iostream>

#include "models/lowering/step_prices.hpp"
#include "models/settling/replica_jitter.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"

namespace clusterwright {

namespace {

/// Bound of a step that is given as a whole.
double bound_of(const Scenario& s, const Plan& plan) {
  const StepPrices prices(s);
  const StageTable stages(s.transformer, plan);
  const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, stages.layout());
  const PassCosts costs(s, plan, plan.schedule != PipelineSchedule::one_forward_one_backward);
  ExchangeTimes times(s, prices);
  std::vector<StageExchanges> exchanges;
  for (int c = 0; c < stages.classes(); ++c) exchanges.push_back(times.of_stage(planned, stages.first_of(c)));
  const StepBound bound(planned, stages, costs, plan.pipeline > 1 ? times.message(planned) : 0,
                        expected_loss(s.steps, plan));
  return bound.seconds(exchanges, times.activation_copy(plan, planned.offload), power_headroom(s, prices));
}

}  // namespace

TEST_CASE("no step is faster than its bound", "[models]") {
  const bool print = std::getenv("CLUSTERWRIGHT_PRINT_MARGINS") != nullptr;  // for docs/search.md
  REQUIRE(rc::check("bound <= replay", [print] {
    Scenario s = testing::random_scenario();
    s.steps.replica_spread.value = *rc::gen::element(0.0, 0.02, 0.2).as("spread of replicas");
    const Plan plan = testing::plan_of(s);
    const double bound = bound_of(s, plan), time = to_seconds(time_step(s, plan).end).in(second);
    testing::describe(s);
    RC_LOG() << "bound/step " << bound / time;
    if (print) std::cout << "margin " << bound / time << "\n";
    RC_ASSERT(bound > 0);
    RC_ASSERT(bound <= time);
  }));
}

}  // namespace clusterwright
