// SPDX-License-Identifier: Apache-2.0
/// Queries, keys and values of attention on one rank: linear layers, norms and rotary positions.
#pragma once

#include <string>
#include <vector>

#include "models/lowering/linear_recipes.hpp"

namespace clusterwright {

class AttentionInputs {
 public:
  AttentionInputs(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                  const LinearRecipes& linears);

  /// @param after  op of another lane that the input comes from, or -1
  void forward(RecipeWriter& w, StepCharge gemm, StepCharge other, int after) const;
  /// Expands queries, keys and values again from stored latent vectors.
  void expand_latents(RecipeWriter& w, StepCharge charge) const;
  /// @param after  op of another lane that the gradients of queries, keys and values come from, or -1
  /// @return op of another lane that the gradient of the input comes from, or -1
  int backward(RecipeWriter& w, int after) const;
  /// Traffic of rotary positions and of the norms beside them, before the factor of the stack.
  Bytes rotary_traffic() const;

 private:
  void rotary(RecipeWriter& w, const std::string& name, KernelPass pass, StepCharge charge, int after) const;

  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const RankShapes& shapes_;
  const LinearRecipes& recipes_;
  std::vector<Linear> linears_;  // queries, keys and values at once, or by way of latent vectors
};

}  // namespace clusterwright
