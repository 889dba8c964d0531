// SPDX-License-Identifier: Apache-2.0
/// Lowering of a transformer, plan, placement, cluster and parameters to the graph of one training step.
#pragma once

#include "models/job/scenario.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/plan/stage_layout.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Graph of one step in steady state: sharded parameters are gathered at its start, as they are behind the forward pass
/// of the next step, and it ends with the optimizer.
///
/// Unfolded, every rank is a class of its own; times are the same to the picosecond, only slower to compute.
/// @throws ConfigError E0502 if the step would take longer than can be simulated
StepGraph lower_training_step(const Scenario& scenario, const Plan& plan, Folding folding);

/// Graph of one layer by itself on every rank: its forward pass and, if asked for, its backward pass.
StepGraph lower_layer(const Scenario& scenario, const Plan& plan, LayerKind kind, bool backward);

}  // namespace clusterwright
