// SPDX-License-Identifier: Apache-2.0
/// A step without passes: every op of every pass for itself. Slower to replay, with the same times.
#pragma once

#include <functional>

#include "sim/step_graph.hpp"

namespace clusterwright {

struct FlatStep {
  StepStructure structure;
  IndexedVector<OpId, OpId> first;  ///< by op of the step with passes: the op, or the first one of its pass
  IndexedVector<OpId, OpId> last;   ///< likewise the last
};

/// Whether to take a pass of a rank class apart.
using OpensPass = std::function<bool(PassId, RankClassId)>;

/// Step with the passes of `opens` taken apart. Works, legs and resources keep their ids, so the timing stays.
FlatStep flatten(const StepStructure& structure, const OpensPass& opens);
/// Step with all passes taken apart.
FlatStep flatten(const StepStructure& structure);

}  // namespace clusterwright
