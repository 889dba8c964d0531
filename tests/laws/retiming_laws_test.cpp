// SPDX-License-Identifier: Apache-2.0
// Times of a lowered step under another scenario against lowering that scenario.
#include <rapidcheck.h>

#include "models/lowering/lowered_step.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/parameter_error.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// What a what-if moves: parts, links, fits, the calibration.
void move_something(Scenario& s) {
  const double factor = *rc::gen::element(0.5, 0.9, 1.001, 1.3, 4.0);
  AcceleratorPart& part = s.cluster.accelerator;
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      for (auto& [format, rate] : part.peak_dense_tflops) rate.value = rate.value * factor;
      return;
    case 1:
      part.memory_bandwidth.value = part.memory_bandwidth.value * factor;
      return;
    case 2:
      part.power.value = part.power.value * factor;
      return;
    case 3:
      s.cluster.scale_up_bandwidth = s.cluster.scale_up_bandwidth * factor;
      return;
    case 4:
      s.cluster.nic_bandwidth = s.cluster.nic_bandwidth * factor;
      return;
    case 5:
      s.cluster.spec.node.host_power.value = s.cluster.spec.node.host_power.value * factor;
      return;
    default: {
      const std::vector<FittedNumber> numbers = fitted_numbers(s);
      if (numbers.empty()) return;
      const FittedNumber& number = numbers[*rc::gen::inRange<std::size_t>(0, numbers.size())];
      number.set(number.value * *rc::gen::element(0.9, 0.999));
    }
  }
}

}  // namespace

TEST_CASE("times of a lowered step are those of lowering once more", "[laws][engine]") {
  REQUIRE(rc::check("to the last bit, and nothing is said where the structure is another one", [] {
    const Scenario s = random_scenario();
    describe(s);
    const Plan plan = plan_of(s);
    const LoweredStep step(s, plan, Folding::folded);
    Scenario moved = s;
    for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes) move_something(moved);
    const LoweredStep again(moved, plan, Folding::folded);
    const auto times = step.timing(moved);
    RC_CLASSIFY(!times, "another structure");
    RC_ASSERT(times.has_value() == (again.structure() == step.structure()));
    if (times) RC_ASSERT(*times == again.timing());
  }));
}

TEST_CASE("a step of another job, stack or fabric has other times", "[laws][engine]") {
  const Scenario s = small_scenario({});
  const LoweredStep step(s, plan_of(s), Folding::folded);
  Scenario other = s;
  other.job.sequence *= 2;
  CHECK_FALSE(step.timing(other));
  other = s;
  other.stack.kernel_launch.value = 2 * other.stack.kernel_launch.value;
  CHECK_FALSE(step.timing(other));
  other = s;
  other.cluster.spec.slow = {{0, 0.8, {}}};
  CHECK_FALSE(step.timing(other));
  CHECK(step.timing(s) == step.timing());
}
