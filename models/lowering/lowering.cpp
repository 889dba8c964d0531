// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/lowering.hpp"

#include "models/lowering/lowered_step.hpp"
#include "models/lowering/step_program.hpp"

namespace clusterwright {

StepGraph lower_training_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  return LoweredStep(scenario, plan, folding).take();
}

StepGraph lower_layer(const Scenario& scenario, const Plan& plan, LayerKind kind, bool backward) {
  return LoweredStep(scenario, plan, Folding::folded,
                     [&](StepProgram& program) { program.write_layer(kind, backward); })
      .take();
}

}  // namespace clusterwright
