// SPDX-License-Identifier: Apache-2.0
/// Recipes of a layer, the embedding and the head: short lists of kernels and collectives, built once and stamped into
/// the step graph for every layer and micro-batch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/job/transformer.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/lowering/split_recipe.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/expert_work.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Name of the work of a host that issues kernels while the device waits.
inline constexpr const char* host_at_work = "host issues kernels";

struct LayerPasses {
  Recipe forward;
  Recipe again;  ///< forward pass once more, for full recomputation
  Recipe backward;
  SplitRecipe split;  ///< backward pass for schedules with weight gradients in later slots
};

struct StepRecipes {
  std::array<LayerPasses, layer_kind_count> layers;  ///< by LayerKind; empty where the model has none of the kind
  Recipe prediction_forward;                         ///< joins the inputs of the layer that predicts a further token
  Recipe prediction_backward;
  Recipe embedding_forward;
  Recipe embedding_backward;
  Recipe head_forward;  ///< final norm, logits and loss
  Recipe head_backward;
  SplitRecipe head_split, prediction_split;  ///< backward passes in parts
  WorkId gather, scatter, reduce, norm;      ///< kernels of data-parallel collectives
  WorkId message;                            ///< kernel of a pipeline message
  WorkId host_copy;                          ///< kernel of a copy between device and host memory
  WorkId host_issue;                         ///< the host at work, the device waiting
};

/// Gives every kernel of a step its time and adds it to the builder.
/// @param work  work of a layer with experts; ignored where the model has none
StepRecipes write_recipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                          const ExpertWork& work);

/// Optimizer step of one rank.
/// @param local  trained parameters whose gradients the rank accumulates, @param owned  those that it updates
WorkTiming optimizer_work(const KernelTimes& kernels, double local, double owned, const SoftwareStack& stack);
/// The same, added to the builder.
WorkId add_optimizer(StepGraphBuilder& builder, const KernelTimes& kernels, double local, double owned,
                     const SoftwareStack& stack);

}  // namespace clusterwright
