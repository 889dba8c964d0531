// SPDX-License-Identifier: Apache-2.0
/// Steps op by op, for looks at single ops.
#pragma once

#include <utility>

#include "models/settling/step_simulation.hpp"
#include "sim/unfold.hpp"

namespace clusterwright::testing {

inline StepGraph flat(StepGraph graph) {
  graph.structure = flatten(graph.structure).structure;
  return graph;
}

inline StepSimulation flat(StepSimulation step) {
  UnfoldedStep unfolded = unfold(step.graph.structure, step.graph.timing, step.result);
  return {{std::move(unfolded.structure), std::move(step.graph.timing)},
          std::move(unfolded.result),
          std::move(step.breakdown)};
}

}  // namespace clusterwright::testing
