// SPDX-License-Identifier: Apache-2.0
#include "models/settling/settle_input.hpp"

#include "models/lowering/input_side.hpp"
#include "models/lowering/step_charge.hpp"

namespace clusterwright {

StepSummary settle_input(const Scenario& scenario, Plan& plan, Picoseconds of_interest) {
  StepSummary best = summarise_step(scenario, plan, of_interest);
  if (!scenario.job.input) return best;
  const auto waits = [](const StepSummary& step) {
    return step.breakdown[static_cast<std::size_t>(StepCharge::input_wait)] > Seconds{};
  };
  Plan tried = plan;
  for (int ready = ready_micro_batches(scenario.job, plan) / 2; ready > 0 && waits(best); ready /= 2) {
    tried.ready_micro_batches = ready;
    StepSummary step = summarise_step(scenario, tried, of_interest);
    if (step.end > best.end) break;
    if (step.end == best.end) continue;
    best = std::move(step);
    plan = tried;
  }
  return best;
}

}  // namespace clusterwright
