// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_machine.hpp"

namespace clusterwright {

StepMachine::StepMachine(StepGraphBuilder& builder, const PlannedStep& step, const KindPrices& prices, PriceLog* log)
    : timings_(prices, step.classes),
      ports_(builder, step.classes, timings_, prices, step.scenario.job.offload.uses_host()),
      links_(builder, timings_, ports_, step.placement, step.classes, step.groups, log),
      levels_(builder, step.scenario, step.classes, ports_, links_, prices, log) {
  if (step.scenario.job.input) input_.emplace(builder, prices, step.placement, step.classes, ports_, log);
}

}  // namespace clusterwright
