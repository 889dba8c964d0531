// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_sensitivity.hpp"

#include <algorithm>
#include <string_view>

#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/nodes/power_limit.hpp"

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

bool lists_resource(const std::vector<StepSensitivity>& list, std::string_view resource) {
  return std::ranges::find(list, resource, &StepSensitivity::resource) != list.end();
}

/// Step time under a limit of every accelerator, as a share of the rating.
double time_under(Scenario scenario, double share) {
  const Watts limit = share * scenario.cluster.accelerator.power.value;
  scenario.cluster.accelerator.power_limit = limit;
  for (NodeGroup& group : scenario.cluster.groups) group.accelerator.power_limit = limit;
  return predict_step(scenario).step_time.in(second);
}

double change(const std::vector<StepSensitivity>& list, std::string_view resource) {
  for (const StepSensitivity& s : list)
    if (s.resource == resource) return s.step_change;
  FAIL("no such resource: " << resource);
  return 0;
}

}  // namespace

TEST_CASE("ten per cent more of a resource saves at most ten per cent, and the list is in order of use", "[models]") {
  const Scenario scenario = two_nodes();
  const auto list = step_sensitivities(scenario, predict_step(scenario));
  REQUIRE(list.size() == 5);  // a limit at the rating is none
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

TEST_CASE("nobody can set more than the rating, but less", "[models]") {
  const Scenario rated = two_nodes();
  const StepPrediction step = predict_step(rated);
  CHECK_FALSE(lists_resource(step_sensitivities(rated, step), power_limit_resource));
  const auto less = step_sensitivities(rated, step, 0.9);
  CHECK(change(less, power_limit_resource) == Approx(time_under(rated, 0.9) / time_under(rated, 1) - 1).margin(1e-3));
}

TEST_CASE("a limit that is set can rise, at most to the rating", "[models]") {
  Scenario capped = two_nodes();
  AcceleratorPart& part = capped.cluster.accelerator;
  part.power_limit = 0.5 * part.power.value;
  const auto more = step_sensitivities(capped, predict_step(capped));
  CHECK(change(more, power_limit_resource) ==
        Approx(time_under(capped, 0.55) / time_under(capped, 0.5) - 1).margin(1e-3));
  CHECK(change(more, power_limit_resource) < -0.01);
  CHECK_FALSE(lists_resource(more, limit_up_to_rating));
  part.power_limit = 0.98 * part.power.value;
  const auto to_rating = step_sensitivities(capped, predict_step(capped));
  CHECK_FALSE(lists_resource(to_rating, power_limit_resource));
  CHECK(change(to_rating, limit_up_to_rating) ==
        Approx(time_under(capped, 1) / time_under(capped, 0.98) - 1).margin(1e-3));
}

TEST_CASE("a limit does not fall below what the driver takes", "[models]") {
  Scenario low = two_nodes();
  AcceleratorPart& part = low.cluster.accelerator;
  part.power_limit = 1.05 * least_power_limit(part);
  CHECK_FALSE(lists_resource(step_sensitivities(low, predict_step(low), 0.9), power_limit_resource));
}

TEST_CASE("what only another accelerator has more of is marked", "[models]") {
  const Scenario scenario = two_nodes();
  for (const StepSensitivity& s : step_sensitivities(scenario, predict_step(scenario))) {
    INFO(s.resource);
    CHECK(s.of_part == (s.resource != "network bandwidth" && s.resource != "speed of the host"));
  }
}
