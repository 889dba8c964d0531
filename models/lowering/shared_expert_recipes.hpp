// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of the experts that every token visits, on one rank.
#pragma once

#include "models/lowering/linear_recipes.hpp"

namespace clusterwright {

class SharedExpertRecipes {
 public:
  /// @pre the model has experts
  SharedExpertRecipes(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                      const LinearRecipes& linears);

  bool exist() const { return width_ > 0; }
  /// Follows the last kernel so far. @return op of another lane that the result comes from, or -1
  int forward(RecipeWriter& w, StepCharge gemm, StepCharge other) const;
  /// Follows the last kernel so far. @return op of another lane that the gradient of the input comes from, or -1
  int backward(RecipeWriter& w) const;

 private:
  KernelTiming activation(double rows) const;

  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const RankShapes& shapes_;
  const LinearRecipes& linears_;
  std::int64_t width_;  // on this rank
  Linear up_, down_;
};

}  // namespace clusterwright
