/// Forward and backward pass of one decoder layer on one rank.
#pragma once

#include "models/linear_recipes.hpp"
#include "models/step_recipes.hpp"

namespace clusterwright {

class LayerRecipes {
 public:
  LayerRecipes(StepGraphBuilder& builder, const DeviceCosts& costs, const MemoryCase& c, WorkId collective_kernel);

  /// @param again  in the backward pass, for recomputation
  Recipe forward(bool again) const;
  Recipe backward() const;

 private:
  RecipeWriter writer() const { return {builder_, collective_kernel_}; }
  KernelPrice elementwise(Bytes traffic) const { return costs_.elementwise(traffic * traffic_factor_); }
  /// `queries` against `keys` tokens, of one in `heads_split` of the rank's heads. @param share  of scores to compute
  KernelPrice attention(bool forward, double heads_split, double queries, double keys, double share) const;
  double gathered_share(double sequence) const;
  int attention_forward(RecipeWriter& w, StepCharge charge) const;
  int attention_backward(RecipeWriter& w) const;
  int attention_ring(RecipeWriter& w, bool forward, StepCharge charge) const;
  Bytes activation_traffic() const;
  Bytes rotary_traffic() const;
  Bytes cast_traffic() const;
  void recompute_selected(RecipeWriter& w) const;
  void mlp_backward(RecipeWriter& w) const;
  void attention_block_backward(RecipeWriter& w, int entry) const;
  double dropout() const { return c_.model.biases ? 1 : 0; }

  StepGraphBuilder& builder_;
  const DeviceCosts& costs_;
  const MemoryCase& c_;
  WorkId collective_kernel_;
  double traffic_factor_;
  RankShapes s_;
  LinearRecipes linears_;
  Linear qkv_, projection_, up_, down_;
};

}  // namespace clusterwright
