/// What a rank does for one layer, embedding or head: short lists of kernels and collectives, built once and stamped
/// into the step graph for every layer and micro-batch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/device_costs.hpp"
#include "models/memory_use.hpp"
#include "models/prediction.hpp"
#include "models/transformer.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Collectives of the tensor group, all of one activation tensor.
enum class TensorCollective : int { none, gather, scatter, reduce };

struct RecipeOp {
  WorkId work;
  TensorCollective collective = TensorCollective::none;  ///< none: a kernel on the compute lane
  StepCharge charge = StepCharge::compute_other;
  int after = -1;  ///< op of the recipe on the other lane that must end first; order on a lane is implied
};

using Recipe = std::vector<RecipeOp>;

struct StepRecipes {
  Recipe layer_forward;
  Recipe layer_again;  ///< forward pass of a layer once more, for full recomputation
  Recipe layer_backward;
  Recipe embedding_forward;
  Recipe embedding_backward;
  Recipe head_forward;  ///< final norm, logits and loss
  Recipe head_backward;
  WorkId data_collective;  ///< kernel of a data-parallel collective
  WorkId message;          ///< kernel of a pipeline message
};

/// Prices every kernel of a step and adds it to the builder.
StepRecipes write_recipes(StepGraphBuilder& builder, const DeviceCosts& costs, const MemoryCase& c);

/// Optimizer step of one rank. @param local  parameters of the rank, @param owned  those that it updates
WorkId add_optimizer(StepGraphBuilder& builder, const DeviceCosts& costs, double local, double owned,
                     double gradient_size);

}  // namespace clusterwright
