/// What a rank does for one layer, embedding or head: short lists of kernels and collectives, built once and stamped
/// into the step graph for every layer and micro-batch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/job/transformer.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/expert_work.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Collectives inside a layer: of the tensor group, all of one activation tensor; of the context group, of keys and
/// values (one step of a ring with or without their gradients, or all of them) or of a head-wise exchange; of expert
/// groups, of copies of tokens. The host is no collective, but a lane of its own too.
enum class LayerCollective : int {
  none,
  gather,
  scatter,
  reduce,
  context_step,
  context_step_with_gradients,
  context_gather,
  context_scatter,
  context_exchange_in,   ///< queries, keys and values: heads apart, sequence together
  context_exchange_out,  ///< the result back
  expert_dispatch,       ///< tokens to experts, in the format that the stack sends
  expert_dispatch_wide,  ///< the same in 16 bit: gradients
  expert_combine,        ///< results back
  expert_gather,         ///< rows over the ranks that split each expert
  expert_scatter,
  host,  ///< the host issues kernels that it could not issue ahead
};
inline constexpr std::size_t layer_collective_count = 16;

struct RecipeOp {
  WorkId work;
  LayerCollective collective = LayerCollective::none;  ///< none: a kernel on the compute lane
  StepCharge charge = StepCharge::compute_other;
  int after = -1;            ///< op of the recipe on another lane that must end first; order on a lane is implied
  bool for_weights = false;  ///< only gradients of weights need it
  Picoseconds host_time{};   ///< that it takes to issue; of `host`, to issue all that it stands for
};

using Recipe = std::vector<RecipeOp>;

/// A backward pass in two parts: what gradients of inputs need, and the gradients of weights later.
struct SplitRecipe {
  Recipe input, weight;
};

/// Whatever the weight part needs of the input part has ended before, so that it waits only for its own gathers.
/// @param overlap  each of them runs beside the multiply before its own
SplitRecipe split_backward(const Recipe& whole, bool overlap);

struct LayerPasses {
  Recipe forward;
  Recipe again;  ///< forward pass once more, for full recomputation
  Recipe backward;
  SplitRecipe split;  ///< the backward pass, for schedules that put weight gradients off
};

struct StepRecipes {
  std::array<LayerPasses, layer_kind_count> layers;  ///< by LayerKind; empty where the model has none of the kind
  Recipe prediction_forward;  ///< what joins the inputs of the layer that predicts a further token
  Recipe prediction_backward;
  Recipe embedding_forward;
  Recipe embedding_backward;
  Recipe head_forward;  ///< final norm, logits and loss
  Recipe head_backward;
  SplitRecipe head_split, prediction_split;  ///< backward passes in parts
  WorkId data_collective;                    ///< kernel of a data-parallel collective
  WorkId message;                            ///< kernel of a pipeline message
  WorkId host_copy;                          ///< between device and host memory
  WorkId host_issue;                         ///< the host at work, the device waiting
};

/// Prices every kernel of a step and adds it to the builder.
/// @param work  of a layer with experts; ignored where the model has none
StepRecipes write_recipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                          const ExpertWork& work);

/// Optimizer step of one rank.
/// @param local  trained parameters whose gradients the rank accumulates, @param owned  those that it updates
WorkId add_optimizer(StepGraphBuilder& builder, const KernelTimes& kernels, double local, double owned,
                     const SoftwareStack& stack);

}  // namespace clusterwright
