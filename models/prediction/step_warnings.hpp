// SPDX-License-Identifier: Apache-2.0
/// Warnings of one step: jumps that a width causes, work that is dropped, caps without effect, flows that are not
/// modelled.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// Widths of this rank's share of the model that are no multiple of 16 bytes, one sentence each; empty on systolic
/// arrays, which pad to whole tiles. The sequence counts where attention keeps its scores in memory.
/// @source docs/models/compute.md, "GEMM time"
std::vector<std::string> alignment_warnings(const Scenario& scenario, const Plan& plan);

/// A number of tokens that leaves the last tiles of GEMMs nearly empty, if that costs the step 1 %: compared, per
/// token, with the next smaller multiple of 128.
/// @param gemm_share  share of GEMMs in the step
std::vector<std::string> tile_warnings(const Scenario& scenario, const Plan& plan, double gemm_share);

/// Clock caps that lie above the clock that the power limit allows.
std::vector<std::string> idle_cap_warnings(const Scenario& scenario, const StepSummary& summary);

/// All warnings of a predicted step. @param step  with its plan, dropped share and stragglers
std::vector<std::string> step_warnings(const Scenario& scenario, const StepPrediction& step,
                                       const StepSummary& summary);

}  // namespace clusterwright
