// SPDX-License-Identifier: Apache-2.0
/// Check of unfolded steps: ranks of a tensor group that were taken to do the same at the same time do so.
#pragma once

#include "sim/replay.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Whether all ranks of each tensor group do every pass, and everything on the lanes of passes, at the same time beside
/// the same loads. Their collectives then begin and end together, as those of one meeting.
/// @param tensor  ranks of a group, whose classes follow each other
bool stays_in_step(const StepStructure& structure, const ReplayResult& result, int tensor);

}  // namespace clusterwright
