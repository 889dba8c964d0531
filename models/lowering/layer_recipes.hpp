// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of one decoder layer on one rank.
#pragma once

#include <optional>

#include "models/lowering/attention_inputs.hpp"
#include "models/lowering/attention_recipes.hpp"
#include "models/lowering/expert_recipes.hpp"
#include "models/lowering/linear_recipes.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_recipes.hpp"

namespace clusterwright {

class LayerRecipes {
 public:
  /// @param work  work of a layer with experts
  LayerRecipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
               const CollectiveKernels& collectives, LayerKind kind, const ExpertWork& work);

  /// @param again  in the backward pass, for recomputation
  Recipe forward(bool again) const;
  Recipe backward() const;

 private:
  RecipeWriter writer() const { return {builder_, collectives_}; }
  KernelTiming elementwise(Bytes traffic) const { return stream(StreamingKernel::other, KernelPass::forward, traffic); }
  KernelTiming stream(StreamingKernel kernel, KernelPass pass, Bytes traffic) const;
  bool adds_alone() const;
  Bytes activation_traffic() const;
  Bytes cast_traffic() const;
  KernelTiming casts() const;
  void copy_stream(RecipeWriter& w, StepCharge charge) const;
  int residual_and_norm(RecipeWriter& w, StepCharge charge, int after) const;
  void norm_backward(RecipeWriter& w, double widths, int after) const;
  void mlp_inner(RecipeWriter& w, StepCharge gemm, StepCharge other) const;
  int mlp_forward(RecipeWriter& w, StepCharge gemm, StepCharge other) const;
  void recompute_selected(RecipeWriter& w) const;
  int mlp_gradients(RecipeWriter& w, int entry) const;
  void mlp_backward(RecipeWriter& w) const;
  void attention_block_backward(RecipeWriter& w, int entry) const;
  double dropout() const { return planned_.model.biases ? 1 : 0; }

  StepGraphBuilder& builder_;
  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const CollectiveKernels& collectives_;
  RankShapes shapes_;
  LinearRecipes linears_;
  AttentionInputs inputs_;
  AttentionRecipes attention_;
  Linear projection_, up_, down_;
  std::optional<ExpertRecipes> experts_;
};

}  // namespace clusterwright
