// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_sensitivity.hpp"

#include <set>

#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;

namespace {

/// Wide enough that kernels matter more than gaps: two nodes, tensor 4, data 4.
Scenario two_nodes() {
  testing::SmallCase c;
  c.tensor = 4;
  c.data = 4;
  c.hidden = 4096;
  c.sequence = 4096;
  return testing::small_scenario(c);
}

double change(const std::vector<StepSensitivity>& list, const std::string& resource) {
  for (const StepSensitivity& s : list)
    if (s.resource == resource) return s.step_change;
  FAIL("no such resource: " << resource);
  return 0;
}

}  // namespace

TEST_CASE("ten per cent more of a resource saves at most ten per cent, and the list is in order of use", "[models]") {
  const Scenario scenario = two_nodes();
  const auto list = step_sensitivities(scenario, predict_step(scenario));
  REQUIRE(list.size() == 6);
  for (const StepSensitivity& s : list) {
    INFO(s.resource);
    CHECK(s.step_change > 1 / 1.1 - 1 - 1e-9);  // the whole step resting on it
    CHECK(s.step_change < 0.001);
  }
  for (std::size_t i = 1; i < list.size(); ++i) CHECK(list[i - 1].step_change <= list[i].step_change);
}

TEST_CASE("what a step does not use does not help it", "[models]") {
  Scenario scenario = two_nodes();
  const auto list = step_sensitivities(scenario, predict_step(scenario));
  CHECK(change(list, "network bandwidth") < -0.001);
  CHECK(change(list, "GEMM rate at the same power") < -0.03);

  testing::SmallCase alone;
  alone.hidden = 4096;
  alone.per_node = 1;
  const Scenario single = testing::small_scenario(alone);
  const auto of_one = step_sensitivities(single, predict_step(single));
  CHECK(change(of_one, "network bandwidth") == 0);
  CHECK(change(of_one, "scale-up bandwidth") == 0);
}
