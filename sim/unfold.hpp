// SPDX-License-Identifier: Apache-2.0
/// Every op of a replayed step, passes taken apart: for timelines, power over time, and looks at single ops.
#pragma once

#include "sim/flat_step.hpp"
#include "sim/replay.hpp"

namespace clusterwright {

struct UnfoldedStep {
  StepStructure structure;  ///< without passes
  ReplayResult result;      ///< of its ops; what they lost to sharing, and the charges of passes, are not taken apart
};

/// Same times as a replay of the flat step, from the times of passes. @pre `structure` is what `result` describes
UnfoldedStep unfold(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result);

}  // namespace clusterwright
