// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_machine.hpp"

namespace clusterwright {

StepMachine::StepMachine(StepGraphBuilder& builder, const PlannedStep& step, const LinkTimings& timings,
                         BytesPerSecond host_link, PriceLog* log)
    : ports_(builder, step.classes, timings, host_link, step.scenario.job.offload.uses_host()),
      links_(builder, timings, ports_, step.placement, step.classes, step.groups, log),
      levels_(builder, step.scenario, step.classes, ports_, links_, host_link, log) {
  if (step.scenario.job.input) input_.emplace(builder, step.scenario, step.placement, step.classes, log);
}

}  // namespace clusterwright
