// SPDX-License-Identifier: Apache-2.0
/// Forward and backward passes of one rank class through the chunks of the model that it holds.
#pragma once

#include <optional>

#include "models/lowering/activation_copies.hpp"
#include "models/lowering/input_lane.hpp"
#include "models/lowering/pipeline_messages.hpp"
#include "models/lowering/step_recipes.hpp"
#include "models/lowering/weight_traffic.hpp"

namespace clusterwright {

/// One pass from its first wait to its last send: messages of the pipeline, input data, gathers of weights, kernels of
/// embedding, layers and head, copies of activations, reductions of gradients.
class ChunkPasses {
 public:
  /// Parts of the program of a rank that its passes use.
  struct Parts {
    RankOps& ops;
    PipelineMessages& messages;
    WeightTraffic& weights;
    ActivationCopies& activations;
    InputLane* input;  ///< nullptr if the job does not say what it reads
  };

  ChunkPasses(const PlannedStep& step, const StepRecipes& recipes, const Parts& parts);

  /// The pass of one slot of the pipeline schedule.
  void run(const PipelineSlot& slot);
  /// A forward and a backward pass of different chunks: the kernels of one hide the waits of the other.
  void run_side_by_side(const PipelineSlot& forward, const PipelineSlot& backward);

 private:
  void begin_forward(const PipelineSlot& slot);
  void await_data(const PipelineSlot& slot);
  void forward_layer(const PipelineSlot& slot, int layer);
  void end_forward(const PipelineSlot& slot);
  void begin_backward(const PipelineSlot& slot);
  void prepare_backward(const PipelineSlot& slot, int layer);
  void backward_layer(const PipelineSlot& slot, int layer);
  void end_backward(const PipelineSlot& slot);
  void weight_gradients(const PipelineSlot& slot);
  void end_gradients(const PipelineSlot& slot);
  void layers_side_by_side(const PipelineSlot& forward, int ahead, const PipelineSlot& backward, int back);
  const LayerPasses& passes(const PipelineSlot& slot, int layer) const;
  /// Whether the forward pass of the layer runs once more in front of its backward pass.
  bool repeats(const PipelineSlot& slot, int layer) const;
  const ChunkContents& contents(const PipelineSlot& slot) const { return step_.layout().at(stage_, slot.chunk); }

  const PlannedStep& step_;
  const StepRecipes& recipes_;
  Parts parts_;
  int stage_;
};

}  // namespace clusterwright
