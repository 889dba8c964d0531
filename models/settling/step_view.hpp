// SPDX-License-Identifier: Apache-2.0
/// View of a replayed step.
#pragma once

#include "sim/breakdown.hpp"
#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

struct StepSimulation;  // models/settling/step_simulation.hpp

/// Replayed step of whoever holds its parts.
struct StepView {
  StepView(const StepStructure& s, const StepTiming& t, const ReplayResult& r, const Breakdown& b)
      : structure(s), timing(t), result(r), breakdown(b) {}
  StepView(const StepSimulation& step);

  const StepStructure& structure;
  const StepTiming& timing;
  const ReplayResult& result;
  const Breakdown& breakdown;
};

}  // namespace clusterwright
