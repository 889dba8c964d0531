// SPDX-License-Identifier: Apache-2.0
// Published steps as evidence of what frameworks can run: each is a layout of the stack that predicts it.
#include <filesystem>

#include "calibration/measured/measured_scenario.hpp"
#include "support/catch.hpp"
#include "support/runnable_layout.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// MegaScale is a fork of Megatron-LM with ZeRO-2, and its cases state ZeRO-2 for their baseline too.
bool runs_a_fork(const Measurement& one) {
  return one.family == "megascale-ampere";
}

}  // namespace

TEST_CASE("published steps are layouts that their stacks can run", "[stack]") {
  const ScenarioShelf shelf = load_shelf(configs);
  int steps = 0;
  for (const Measurement& one : read_training_steps(measurements)) {
    const auto scenario = measured_scenario(one, shelf);
    if (!std::holds_alternative<Scenario>(scenario) || runs_a_fork(one)) continue;
    const Scenario& s = std::get<Scenario>(scenario);
    INFO(one.id << " on " << s.stack.name);
    REQUIRE(s.stack.layouts);
    REQUIRE(beyond_stack(s.job, *s.stack.layouts) == std::vector<std::string>{});
    ++steps;
  }
  CHECK(steps > 1000);
}
