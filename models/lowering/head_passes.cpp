// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/head_passes.hpp"

namespace clusterwright {

void stamp_head_forward(RankOps& ops, const PlannedStep& step, const StepRecipes& recipes, int micro_batch) {
  const Transformer& model = step.job.model;
  ops.stamp(recipes.head_forward, micro_batch);
  for (std::int64_t i = 0; i < model.predicted_tokens; ++i) {
    ops.stamp(recipes.prediction_forward, micro_batch);
    ops.stamp(recipes.layers[static_cast<std::size_t>(model.last_kind())].forward, micro_batch);
    ops.stamp(recipes.head_forward, micro_batch);
  }
}

void stamp_head_backward(RankOps& ops, const PlannedStep& step, const StepRecipes& recipes, BackwardPart part,
                         int micro_batch) {
  const Transformer& model = step.job.model;
  const LayerPasses& layer = recipes.layers[static_cast<std::size_t>(model.last_kind())];
  const auto stamp_part = [&](const Recipe& whole, const SplitRecipe& split) {
    ops.stamp(part == BackwardPart::whole   ? whole
              : part == BackwardPart::input ? split.input
                                            : split.weight,
              micro_batch);
  };
  for (std::int64_t i = 0; i < model.predicted_tokens; ++i) {
    stamp_part(recipes.head_backward, recipes.head_split);
    if (step.plan().recompute == Recompute::full && part != BackwardPart::weight) ops.stamp(layer.again, micro_batch);
    stamp_part(layer.backward, layer.split);
    stamp_part(recipes.prediction_backward, recipes.prediction_split);
  }
  stamp_part(recipes.head_backward, recipes.head_split);
}

}  // namespace clusterwright
