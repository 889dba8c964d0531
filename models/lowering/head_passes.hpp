// SPDX-License-Identifier: Apache-2.0
/// Head of the model, and the layers that predict further tokens, in the program of one rank.
#pragma once

#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_ops.hpp"
#include "models/lowering/step_recipes.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

/// One more layer and the head predict each further token from the hidden state that predicted the token before it.
/// @param micro_batch  note of the ops
void stamp_head_forward(RankOps& ops, const PlannedStep& step, const StepRecipes& recipes, int micro_batch);

/// The reverse, or the part of it that a slot computes.
void stamp_head_backward(RankOps& ops, const PlannedStep& step, const StepRecipes& recipes, BackwardPart part,
                         int micro_batch);

}  // namespace clusterwright
